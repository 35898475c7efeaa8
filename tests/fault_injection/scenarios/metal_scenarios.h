// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_TESTS_FAULT_INJECTION_METAL_SCENARIOS_H_
#define HALYARD_TESTS_FAULT_INJECTION_METAL_SCENARIOS_H_

#include <span>

#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {

/// What only Metal has.
std::span<const Scenario> MetalScenarios();

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_METAL_SCENARIOS_H_
