// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features by name, so that a device can be without them.
#ifndef HALYARD_TESTS_SIM_VULKAN_FEATURES_H_
#define HALYARD_TESTS_SIM_VULKAN_FEATURES_H_

#include <string_view>

#include "vulkan/device/physical_device.h"
#include "vulkan/settings.h"
#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// Whether there is a feature of that name that can be hidden.
bool IsFeature(std::string_view name);

/// A hidden feature that a program enables; null if there is none.
const char* HiddenFeature(const Settings& settings, const VkDeviceCreateInfo& info);

/// Whether a device of the real library says that descriptors of storage buffers may be written after they were bound.
bool CanUpdateAfterBind(VkPhysicalDevice real_device);

/// While it lives, a chain asks for nothing that is offered without the real device.
class WithoutOffered {
 public:
  WithoutOffered(const PhysicalDevice& device, const VkDeviceCreateInfo& info);
  ~WithoutOffered();
  WithoutOffered(const WithoutOffered&) = delete;
  WithoutOffered& operator=(const WithoutOffered&) = delete;

 private:
  VkPhysicalDeviceVulkan12Features* asked_ = nullptr;
  VkBool32 storage_ = VK_FALSE;  // what it asked for
  VkBool32 uniform_ = VK_FALSE;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_FEATURES_H_
