// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The real library.
#ifndef HALYARD_TESTS_SIM_VULKAN_LIBRARY_H_
#define HALYARD_TESTS_SIM_VULKAN_LIBRARY_H_

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// The function of the real library by which it hands out all others; null if there is no such library.
PFN_vkGetInstanceProcAddr RealGetInstanceProcAddr();

/// Finds the real functions that an instance has; those that need none for a null instance.
void FindRealFunctions(VkInstance instance);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_LIBRARY_H_
