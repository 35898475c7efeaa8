// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loaded kernel takes of its device: what the core knows, what the driver adds, and checks of both.
#include <algorithm>
#include <cinttypes>

#include "core/public_call.h"
#include "core/validation/checks.h"
#include "core/validation/exact_size.h"
#include "driver_kit/device/limit_checks.h"
#include "halyard/executable.h"

namespace halyard {
namespace {

bool IsZero(const hal_dim3_t& size) { return size.x == 0 && size.y == 0 && size.z == 0; }

/// What no dispatch of the kernel can ask for, on any device of these limits.
Status CheckSize(const hal_device_limits_t& limits, const hal_export_info_t& info, const hal_dim3_t& size) {
  HAL_TRY(CheckWorkgroupSize(limits, size));
  return CheckExactSize("workgroup_size", info, size);
}

/// What the export's info and the limits of the device say.
hal_export_properties_t KnownProperties(const hal_device_limits_t& limits, const hal_export_info_t& info) {
  hal_export_properties_t known = HAL_INIT(hal_export_properties_t);
  uint64_t taken = info.local_memory_size;
  if (HasLaunchRules(info)) {
    known.register_count = info.register_count;
    known.preferred_multiple = info.subgroup_size;
    taken += info.dynamic_local_memory_size;
  }
  known.local_memory_size = info.local_memory_size;
  known.max_workgroup_volume = limits.max_workgroup_volume;
  if (HasLaunchRules(info) && info.max_workgroup_volume > 0) {
    known.max_workgroup_volume = std::min(known.max_workgroup_volume, info.max_workgroup_volume);
  }
  known.max_dynamic_local_memory = limits.max_local_memory - std::min<uint64_t>(taken, limits.max_local_memory);
  return known;
}

uint64_t Volume(const hal_dim3_t& size) { return uint64_t{size.x} * size.y * size.z; }

Status CheckLocalMemory(const hal_export_info_t& info, const hal_export_properties_t& properties, uint32_t dynamic) {
  if (dynamic <= properties.max_dynamic_local_memory) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "dynamic_local_memory is %u; a dispatch of \"%.*s\" can ask for at most %" PRIu64 " bytes", dynamic,
              HALYARD_SV(View(info.name)), properties.max_dynamic_local_memory);
}

Status CheckVolume(const hal_export_info_t& info, const hal_export_properties_t& properties, const hal_dim3_t& size) {
  if (Volume(size) <= properties.max_workgroup_volume) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "workgroup_size is (%u, %u, %u); a workgroup of \"%.*s\" has at most %u work-items", size.x, size.y,
              size.z, HALYARD_SV(View(info.name)), properties.max_workgroup_volume);
}

/// @param size  all 0 for the export's own, which the kernel need not be able to run in
Status ReadProperties(hal_executable_t* executable, uint32_t ordinal, hal_dim3_t size, uint32_t dynamic,
                      hal_export_properties_t* out) {
  if (ordinal >= executable->export_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "ordinal is %u, but the executable%s has %u exports", ordinal,
                LabelWords(executable).c_str(), executable->export_count);
  }
  const hal_executable_vtable_t* const vtable = VtableOf(executable);
  const hal_export_info_t* const info = vtable->export_info(executable, ordinal);
  if (!info) return FailWith(HAL_STATUS_INTERNAL, "the driver says nothing of the export");
  const hal_device_limits_t& limits = *executable->device->info->limits;
  const bool asked = !IsZero(size);
  if (asked) HAL_TRY(CheckSize(limits, *info, size));
  *out = KnownProperties(limits, *info);
  HAL_TRY(vtable->query_export_properties(executable, ordinal, out));
  HAL_TRY(CheckLocalMemory(*info, *out, dynamic));
  if (asked) {
    HAL_TRY(CheckVolume(*info, *out, size));
  } else {
    size = info->workgroup_size;
    if (size.x == 0 || Volume(size) > out->max_workgroup_volume) return kOk;
  }
  return FromC(vtable->count_resident(executable, ordinal, static_cast<uint32_t>(Volume(size)), dynamic,
                                      &out->resident_workgroups));
}

Status QueryExportProperties(hal_executable_t* executable, uint32_t ordinal, const hal_dim3_t& size, uint32_t dynamic,
                             hal_export_properties_t* out_properties) {
  HAL_TRY(CheckNotNull("executable", executable));
  hal_export_properties_t properties = HAL_INIT(hal_export_properties_t);
  HAL_TRY(ReadProperties(executable, ordinal, size, dynamic, &properties));
  return WriteStruct("out_properties", properties, out_properties);
}

}  // namespace
}  // namespace halyard

hal_status_t hal_executable_query_export_properties(hal_executable_t* executable, uint32_t ordinal,
                                                    hal_dim3_t workgroup_size, uint32_t dynamic_local_memory,
                                                    hal_export_properties_t* out_properties) {
  return halyard::Public([&] {
    return halyard::QueryExportProperties(executable, ordinal, workgroup_size, dynamic_local_memory, out_properties);
  });
}
