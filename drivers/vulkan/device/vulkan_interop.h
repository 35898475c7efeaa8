// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension halyard.vulkan.interop.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_INTEROP_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_INTEROP_H_

#include "driver_kit/device/device_extension.h"

namespace halyard::vulkan {

/// See halyard/vulkan_interop.h.
DeviceExtension InteropExtension();

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_INTEROP_H_
