// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks against a device's limits. The messages name no function; the caller that knows it puts it before them.
#ifndef HALYARD_DRIVER_KIT_DEVICE_LIMIT_CHECKS_H_
#define HALYARD_DRIVER_KIT_DEVICE_LIMIT_CHECKS_H_

#include <cstdint>

#include "base/status.h"
#include "halyard/device.h"

namespace halyard {

/// Whether each dimension is at most that of `most`.
inline bool Fits(const hal_dim3_t& size, const hal_dim3_t& most) {
  return size.x <= most.x && size.y <= most.y && size.z <= most.z;
}

/// Whether a workgroup has at most that many work-items. 64 bits hold the product: a plane that fits has less than 33.
inline bool HasVolume(const hal_dim3_t& size, uint64_t most) {
  const uint64_t plane = uint64_t{size.x} * size.y;
  return plane <= most && plane * size.z <= most;
}

inline bool HasNoZero(const hal_dim3_t& size) { return size.x != 0 && size.y != 0 && size.z != 0; }

/// What CheckWorkgroupSize() checks.
inline bool TakesWorkgroupSize(const hal_device_limits_t& limits, const hal_dim3_t& size) {
  return HasNoZero(size) && Fits(size, limits.max_workgroup_size) && HasVolume(size, limits.max_workgroup_volume);
}

/// OUT_OF_RANGE if `amount` is above `most`, with both.
Status CheckLimit(const char* what, uint64_t amount, uint64_t most);

/// INVALID_ARGUMENT if a dimension is 0, OUT_OF_RANGE if the device takes no workgroups of that size.
Status CheckWorkgroupSize(const hal_device_limits_t& limits, const hal_dim3_t& size);

/// OUT_OF_RANGE if the device takes no grid of that many workgroups.
Status CheckWorkgroupCount(const hal_device_limits_t& limits, const hal_dim3_t& count);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_LIMIT_CHECKS_H_
