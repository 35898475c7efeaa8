// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's declarations, without its functions: those are found at run time.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_HEADERS_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_HEADERS_H_

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_HEADERS_H_
