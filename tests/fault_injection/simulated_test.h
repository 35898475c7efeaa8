// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of one vendor that are no sweeps.
#ifndef HALYARD_TESTS_FAULT_INJECTION_SIMULATED_TEST_H_
#define HALYARD_TESTS_FAULT_INJECTION_SIMULATED_TEST_H_

#include <gtest/gtest.h>

#include "fault_injection/scenarios/scenario.h"
#include "stream_drivers/vendor.h"

namespace halyard::fault_injection {

/// Ends with nothing left in the simulation, and nothing to report.
class SimulatedTest : public testing::Test {
 protected:
  static const sim::SimControl& Simulator() { return interop::vendor::Control(); }
  /// Fills new memory of the device, and looks at it.
  static void ExpectWorks(const cts::Device& device, uint32_t word);

  void SetUp() override;
  void TearDown() override;

  bool leaves_objects_ = false;  // the device cannot be destroyed

 private:
  uint64_t objects_before_ = 0;  // of the simulation
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_SIMULATED_TEST_H_
