// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that the application has opened.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_WRAPPING_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_WRAPPING_H_

#include <memory>

#include "base/status.h"
#include "halyard/vulkan_interop.h"
#include "vulkan/native/vulkan_instance.h"
#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {

/// Checks what the application tells of its device, and reads what the device can do as it was opened. INCOMPATIBLE,
/// with what the driver needs and lacks.
Status ReadGivenDevice(const hal_vulkan_device_t* given, std::shared_ptr<const VulkanInstance>* out_instance,
                       VulkanTraits* out_traits);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_WRAPPING_H_
