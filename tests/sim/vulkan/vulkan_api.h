// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's types, without its functions: those are found at run time.
#ifndef HALYARD_TESTS_SIM_VULKAN_VULKAN_API_H_
#define HALYARD_TESTS_SIM_VULKAN_VULKAN_API_H_

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#endif  // HALYARD_TESTS_SIM_VULKAN_VULKAN_API_H_
