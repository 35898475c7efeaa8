// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/executable.h"

#include "base/text/suggestions.h"
#include "core/buffer.h"
#include "core/executable/executable_request.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

Status Create(hal_device_t* device, const hal_executable_params_t* given, hal_executable_t** out_executable) {
  HAL_TRY(CheckNotNull("device", device));
  ExecutableRequest request;
  HAL_TRY(request.Read(device, given));
  return request.Create(
      device,
      [&](const ExecutableParams& params, hal_executable_t** out_part) {
        return CreateExecutable(device, params, out_part);
      },
      out_executable);
}

const hal_export_info_t* ExportInfo(hal_executable_t* executable, uint32_t ordinal) {
  if (!executable || ordinal >= executable->export_count) return nullptr;
  return VtableOf(executable)->export_info(executable, ordinal);
}

HostVector<std::string_view> ExportNames(hal_executable_t* executable) {
  HostVector<std::string_view> names;
  for (uint32_t i = 0; i < executable->export_count; ++i) {
    if (const hal_export_info_t* info = ExportInfo(executable, i)) names.push_back(View(info->name));
  }
  return names;
}

Status LookUp(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal) {
  return FromC(VtableOf(executable)->find_export(executable, name, out_ordinal));
}

void ReleaseExecutable(void* executable) { Release(static_cast<hal_executable_t*>(executable)); }

Status FindGlobal(hal_executable_t* executable, uint32_t ordinal, hal_string_view_t name, hal_buffer_t** out_buffer) {
  HAL_TRY(CheckNotNull("executable", executable));
  HAL_TRY(CheckText("name", name));
  if (ordinal >= executable->export_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "ordinal is %u, but the executable%s has %u exports", ordinal,
                LabelWords(executable).c_str(), executable->export_count);
  }
  if (name.size == 0) return FailWith(HAL_STATUS_NOT_FOUND, "the image has no variable ''");
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  HAL_TRY(VtableOf(executable)->find_global(executable, ordinal, name, &memory));
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_ALL;
  if (memory.type != HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER) params.usage &= ~HAL_BUFFER_USAGE_MAPPING;
  auto kept = Ref<hal_executable_t>::Retaining(executable);
  HAL_TRY(ImportBuffer(executable->device->allocator, &params, &memory, ReleaseExecutable, executable, out_buffer));
  static_cast<void>(kept.release());  // the buffer's
  return kOk;
}

}  // namespace

Status FindExport(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal) {
  HAL_TRY(CheckNotNull("out_ordinal", out_ordinal));
  *out_ordinal = 0;
  HAL_TRY(CheckNotNull("executable", executable));
  HAL_TRY(CheckText("name", name));
  if (Succeeds(LookUp(executable, name, out_ordinal))) return kOk;
  return Fail(HAL_STATUS_NOT_FOUND, "no export '%.*s'; %s", HALYARD_SV(View(name)),
              SuggestionText(View(name), ExportNames(executable)).c_str());
}

Status CreateExecutable(hal_device_t* device, const ExecutableParams& params, hal_executable_t** out_executable) {
  hal_executable_t* made = nullptr;
  HAL_TRY(params.Create(device, &made));
  HAL_TRY(AdoptChild<hal_executable_vtable_t>(device, made));
  *out_executable = made;
  return kOk;
}

}  // namespace halyard

hal_status_t hal_executable_create(hal_device_t* device, const hal_executable_params_t* params,
                                   hal_executable_t** out_executable) {
  return halyard::PublicThatGives("out_executable", out_executable,
                                  [&] { return halyard::Create(device, params, out_executable); });
}

void hal_executable_retain(hal_executable_t* executable) { halyard::RetainHandle(executable); }
void hal_executable_release(hal_executable_t* executable) { halyard::ReleaseHandle(executable); }

uint32_t hal_executable_export_count(hal_executable_t* executable) {
  return halyard::IsUsable("executable", executable) ? executable->export_count : 0;
}

const hal_export_info_t* hal_executable_export_info(hal_executable_t* executable, uint32_t ordinal) {
  if (!halyard::IsUsable("executable", executable)) return nullptr;
  return halyard::ExportInfo(executable, ordinal);
}

hal_status_t hal_executable_find_export(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal) {
  return halyard::Public([&] { return halyard::FindExport(executable, name, out_ordinal); });
}

hal_status_t hal_executable_find_global(hal_executable_t* executable, uint32_t ordinal, hal_string_view_t name,
                                        hal_buffer_t** out_buffer) {
  return halyard::PublicThatGives("out_buffer", out_buffer,
                                  [&] { return halyard::FindGlobal(executable, ordinal, name, out_buffer); });
}
