// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/validation/exact_size.h"

namespace halyard {
namespace {

Status FailFixedSide(const char* argument, const hal_export_info_t& info, const hal_dim3_t& size) {
  const hal_dim3_t& fixed = info.fixed_sides;
  const uint32_t given[] = {size.x, size.y, size.z}, wanted[] = {fixed.x, fixed.y, fixed.z};
  size_t side = 0;
  while (side < 2 && (wanted[side] == 0 || given[side] == wanted[side])) ++side;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "%s is (%u, %u, %u), but \"%.*s\" was compiled with %u in %c, and no constant changes that", argument,
              size.x, size.y, size.z, HALYARD_SV(View(info.name)), wanted[side], "xyz"[side]);
}

}  // namespace

Status CheckExactSize(const char* argument, const hal_export_info_t& info, const hal_dim3_t& size) {
  if (!HasLaunchRules(info) || CanHaveSize(info, size)) return kOk;
  if (IsAnyFixed(FixedSidesOf(info))) return FailFixedSide(argument, info, size);
  const hal_dim3_t& own = info.workgroup_size;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is (%u, %u, %u), but \"%.*s\" was compiled for (%u, %u, %u) alone",
              argument, size.x, size.y, size.z, HALYARD_SV(View(info.name)), own.x, own.y, own.z);
}

Status CheckCompiledVolume(const char* argument, const hal_export_info_t& info, const hal_dim3_t& size) {
  if (CanHaveVolume(info, size)) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%s is (%u, %u, %u), but \"%.*s\" was compiled for at most %u work-items in a workgroup", argument,
              size.x, size.y, size.z, HALYARD_SV(View(info.name)), info.max_workgroup_volume);
}

}  // namespace halyard
