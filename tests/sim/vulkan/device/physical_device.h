// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instances and their physical devices, of which some may be pretended copies of a real one.
#ifndef HALYARD_TESTS_SIM_VULKAN_PHYSICAL_DEVICE_H_
#define HALYARD_TESTS_SIM_VULKAN_PHYSICAL_DEVICE_H_

#include <memory>

#include "vulkan/settings.h"
#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;  // what programs get: the real handle, except for copies
  VkPhysicalDevice real = VK_NULL_HANDLE;
  VkInstance instance = VK_NULL_HANDLE;
  uint32_t index = 0;  // in the enumeration
  bool is_copy = false;
  bool pretends_update_after_bind = false;  // of storage buffers, which the real device can do without saying so
  std::shared_ptr<const Settings> settings;
  VkPhysicalDeviceLimits limits = {};            // as programs see them
  VkPhysicalDeviceMemoryProperties memory = {};  // as the real device has it
};

/// A device of any live instance.
std::shared_ptr<const PhysicalDevice> FindPhysicalDevice(VkPhysicalDevice handle);
VkPhysicalDevice RealHandle(VkPhysicalDevice handle);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_PHYSICAL_DEVICE_H_
