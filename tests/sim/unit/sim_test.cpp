// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim_test.h"

namespace halyard::sim {

uint64_t SimTest::TakeReports(const char* rule) {
  const uint64_t count = control_.Reports(rule);
  const uint64_t all = control_.Reports(nullptr);
  EXPECT_EQ(count, all) << Report();
  control_.Reset();
  return count;
}

std::string SimTest::Report() {
  std::string text(control_.Report(nullptr, 0), '\0');
  control_.Report(text.data(), text.size());
  text.pop_back();
  return text;
}

}  // namespace halyard::sim
