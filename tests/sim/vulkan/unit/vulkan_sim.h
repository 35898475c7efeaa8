// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forwarding Vulkan library as a test program sees it: loaded at run time.
#ifndef HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_H_
#define HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_H_

#include "unit/sim_library.h"
#include "vulkan/vulkan_api.h"
#include "vulkan/vulkan_control.h"

namespace halyard::vulkan_sim {

struct VulkanFunctions {
#define PLAIN(function) PFN_vk##function function = nullptr;
#define OWN(function) PLAIN(function)
#define SHARED(function) PLAIN(function)
#include "vulkan/functions.inc"
#undef PLAIN
#undef OWN
#undef SHARED
};

struct VulkanSim : sim::SimControl {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
  PFN_vkCreateInstance CreateInstance = nullptr;
  PFN_vkEnumerateInstanceVersion EnumerateInstanceVersion = nullptr;
  decltype(&halyardSimLoseVulkan) LoseVulkan = nullptr;
  decltype(&halyardSimInside) Inside = nullptr;

  /// Loads the library on first use, for lavapipe.
  static const VulkanSim& Get();
  /// The functions that an instance has; without one those that need none.
  VulkanFunctions Functions(VkInstance instance) const;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_UNIT_VULKAN_SIM_H_
