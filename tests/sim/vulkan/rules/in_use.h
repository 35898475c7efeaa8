// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports what is destroyed or changed while submitted work needs it.
#ifndef HALYARD_TESTS_SIM_VULKAN_IN_USE_H_
#define HALYARD_TESTS_SIM_VULKAN_IN_USE_H_

#include "vulkan/handles.h"

namespace halyard::vulkan_sim {

/// Reports the rule destroy-in-use if work that is submitted and not known to be done needs an object.
void ReportIfInUse(const char* call, VkDevice device, const Handle& object);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_IN_USE_H_
