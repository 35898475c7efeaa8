// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only Vulkan has.
#ifndef HALYARD_TESTS_FAULT_INJECTION_VULKAN_SCENARIOS_H_
#define HALYARD_TESTS_FAULT_INJECTION_VULKAN_SCENARIOS_H_

#include <span>

#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {

std::span<const Scenario> VulkanScenarios();

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_VULKAN_SCENARIOS_H_
