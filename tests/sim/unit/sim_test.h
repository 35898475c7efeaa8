// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of all simulated runtimes share: reports are taken by the tests that provoke them.
#ifndef HALYARD_TESTS_SIM_UNIT_SIM_TEST_H_
#define HALYARD_TESTS_SIM_UNIT_SIM_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim_library.h"

namespace halyard::sim {

class SimTest : public testing::Test {
 protected:
  explicit SimTest(const SimControl& control) : control_(control) {}

  /// How many breaches of a rule were reported since the last time; forgets all reports.
  uint64_t TakeReports(const char* rule);
  std::string Report();

 private:
  const SimControl& control_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_SIM_TEST_H_
