// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device says of its sizes, and what follows from narrower ones.
#ifndef HALYARD_TESTS_SIM_VULKAN_LIMITS_H_
#define HALYARD_TESTS_SIM_VULKAN_LIMITS_H_

#include "vulkan/physical_device.h"

namespace halyard::vulkan_sim {

/// The limits as programs see them.
VkPhysicalDeviceLimits LimitsOf(const PhysicalDevice& device);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_LIMITS_H_
