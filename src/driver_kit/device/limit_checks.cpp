// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/limit_checks.h"

#include <cinttypes>

namespace halyard {
namespace {

Status FailTooLarge(const char* what, const hal_dim3_t& size, const hal_dim3_t& most) {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s %ux%ux%u exceeds the device's %ux%ux%u", what, size.x, size.y, size.z,
              most.x, most.y, most.z);
}

}  // namespace

Status CheckLimit(const char* what, uint64_t amount, uint64_t most) {
  if (amount <= most) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %" PRIu64 "; the device takes at most %" PRIu64, what, amount, most);
}

Status CheckWorkgroupSize(const hal_device_limits_t& limits, const hal_dim3_t& size) {
  if (TakesWorkgroupSize(limits, size)) return kOk;
  if (!HasNoZero(size)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "workgroup size %ux%ux%u has a zero", size.x, size.y, size.z);
  }
  if (!Fits(size, limits.max_workgroup_size)) return FailTooLarge("workgroup size", size, limits.max_workgroup_size);
  return Fail(HAL_STATUS_OUT_OF_RANGE, "workgroup size %ux%ux%u has more work-items than the device's %u", size.x,
              size.y, size.z, limits.max_workgroup_volume);
}

Status CheckWorkgroupCount(const hal_device_limits_t& limits, const hal_dim3_t& count) {
  if (Fits(count, limits.max_workgroup_count)) return kOk;
  return FailTooLarge("workgroup count", count, limits.max_workgroup_count);
}

}  // namespace halyard
