// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The features with which an application has opened its device, as it says.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_ENABLED_FEATURES_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_ENABLED_FEATURES_H_

#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {

/// Reads a chain as vkCreateDevice() takes it: the structs of Vulkan 1.1 to 1.3, or those of single features that
/// became part of these. What the driver knows no use for is passed over.
void ReadEnabledFeatures(const VkPhysicalDeviceFeatures2& given, VulkanFeatures* out);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_ENABLED_FEATURES_H_
