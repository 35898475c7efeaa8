// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device says of its sizes.
#ifndef HALYARD_TESTS_SIM_VULKAN_LIMITS_H_
#define HALYARD_TESTS_SIM_VULKAN_LIMITS_H_

#include <string_view>

#include "vulkan/settings.h"
#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// Whether there is a limit of that name that can be set.
bool IsLimit(std::string_view name);

/// A real device's limits, as programs see them.
VkPhysicalDeviceLimits NarrowLimits(VkPhysicalDevice real, const Settings& settings);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_LIMITS_H_
