// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/composite_executable.h"

#include <memory>
#include <utility>

#include "core/validation/checks.h"

namespace halyard {

constinit const hal_executable_vtable_t CompositeExecutable::kTable = {
    sizeof(hal_executable_vtable_t),
    DestroyEntry<CompositeExecutable, hal_executable_t>,
    [](hal_executable_t* self, uint32_t ordinal) -> const hal_export_info_t* {
      Resolve(&self, &ordinal);
      return VtableOf(self)->export_info(self, ordinal);
    },
    [](hal_executable_t* self, uint32_t ordinal, const hal_function_t** out_function) -> hal_status_t {
      Resolve(&self, &ordinal);
      return VtableOf(self)->function(self, ordinal, out_function);
    },
    Entry<&CompositeExecutable::FindExport>::Of<hal_executable_t>,
    [](hal_executable_t* self, uint32_t ordinal, hal_string_view_t name,
       hal_external_memory_t* out_memory) -> hal_status_t {
      Resolve(&self, &ordinal);
      return VtableOf(self)->find_global(self, ordinal, name, out_memory);
    },
    [](hal_executable_t* self, uint32_t ordinal, hal_export_properties_t* out_properties) -> hal_status_t {
      Resolve(&self, &ordinal);
      return VtableOf(self)->query_export_properties(self, ordinal, out_properties);
    },
    [](hal_executable_t* self, uint32_t ordinal, uint32_t workgroup_volume, uint32_t dynamic_local_memory,
       uint32_t* out_workgroups) -> hal_status_t {
      Resolve(&self, &ordinal);
      return VtableOf(self)->count_resident(self, ordinal, workgroup_volume, dynamic_local_memory, out_workgroups);
    }};

CompositeExecutable::CompositeExecutable(HostVector<Part> parts) : hal_executable_t{}, parts_(std::move(parts)) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, &kTable);
}

Status CompositeExecutable::Create(hal_device_t* device, HostVector<Part> parts, hal_executable_t** out_executable) {
  std::unique_ptr<CompositeExecutable> made(new CompositeExecutable(std::move(parts)));
  for (const Part& part : made->parts_) HAL_TRY(made->AddPart(part));
  made->export_count = static_cast<uint32_t>(made->exports_.size());
  made->device = device;
  Retain(device);
  *out_executable = made.release();
  return kOk;
}

Status CompositeExecutable::AddPart(const Part& part) {
  hal_executable_t* const executable = part.executable.get();
  for (uint32_t i = 0; i < part.ordinals.size(); ++i) {
    const hal_export_info_t* const info =
        i < executable->export_count ? VtableOf(executable)->export_info(executable, i) : nullptr;
    if (!info) {
      return Fail(HAL_STATUS_INTERNAL, "the driver made %u exports of an image, but %zu were asked for",
                  executable->export_count, part.ordinals.size());
    }
    const uint32_t ordinal = part.ordinals[i];
    if (exports_.size() <= ordinal) exports_.resize(ordinal + size_t{1});
    exports_[ordinal] = {executable, i};
    ordinals_.emplace(View(info->name), ordinal);
  }
  return kOk;
}

Status CompositeExecutable::FindExport(hal_string_view_t name, uint32_t* out_ordinal) {
  const auto found = ordinals_.find(View(name));
  if (found == ordinals_.end()) return FailWith(HAL_STATUS_NOT_FOUND, "");
  *out_ordinal = found->second;
  return kOk;
}

}  // namespace halyard
