// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The listed functions by name.
#ifndef HALYARD_TESTS_SIM_VULKAN_FUNCTIONS_H_
#define HALYARD_TESTS_SIM_VULKAN_FUNCTIONS_H_

#include <span>
#include <string_view>

#include "vulkan/real.h"

namespace halyard::vulkan_sim {

struct ListedFunction {
  AnyRealFunction* real;
  PFN_vkVoidFunction ours;
};
std::span<const ListedFunction> ListedFunctions();

/// What a program gets for a name that the real library knows as `found`: ours if the function is listed.
PFN_vkVoidFunction OursFor(std::string_view name, PFN_vkVoidFunction found);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_FUNCTIONS_H_
