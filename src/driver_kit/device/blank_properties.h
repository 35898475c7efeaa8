// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of which nothing is known yet, and limits that bound nothing: what a driver fills in.
#ifndef HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_
#define HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_

#include <cstdint>

#include "halyard/device.h"
#include "halyard/device_properties.h"

namespace halyard {

constexpr hal_device_properties_t BlankProperties() {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  properties.numa_node = -1;
  return properties;
}

/// A block is copied at each execution, and references have offsets of 32 bits.
inline constexpr uint64_t kMaxNumbersSize = uint64_t{1} << 20;

/// No bound at all; but UINT64_MAX is no timeline value, as it stands for "the end" elsewhere.
constexpr hal_device_limits_t WidestLimits() {
  hal_device_limits_t limits{};
  limits.struct_size = sizeof(limits);
  limits.max_semaphore_value = UINT64_MAX - 1;
  limits.max_semaphore_distance = UINT64_MAX;
  limits.max_workgroup_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  limits.max_workgroup_size = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  limits.max_workgroup_volume = UINT32_MAX;
  limits.max_local_memory = UINT32_MAX;
  limits.max_constants_size = UINT32_MAX;
  limits.max_bindings = UINT32_MAX;
  limits.max_descriptor_sets = UINT32_MAX;
  limits.binding_alignment = 1;
  limits.max_binding_range = UINT64_MAX;
  limits.max_numbers_size = kMaxNumbersSize;
  return limits;
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_BLANK_PROPERTIES_H_
