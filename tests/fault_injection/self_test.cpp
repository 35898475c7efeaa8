// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sweep's own tests: drivers that are wrong where something fails, each of which it must notice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <thread>

#include "fault_injection/hang_guard.h"
#include "fault_injection/spoilt_drivers.h"
#include "fault_injection/sweep.h"

namespace halyard::sweep {

void PrintTo(const SpoiltDriver& driver, std::ostream* out) { *out << driver.name; }

namespace {

using testing::HasSubstr;

constexpr uint64_t kShortPatience = 300'000'000;  // nanoseconds

class SpoiltDriverTest : public testing::TestWithParam<SpoiltDriver> {};

TEST_P(SpoiltDriverTest, IsNoticed) {
  const SpoiltDriver& driver = GetParam();
  Conditions conditions;
  conditions.driver = driver.name;
  conditions.parameters = "queues=1&completion=fast";
  conditions.patience = kShortPatience * cts::kTimeScale;
  const SweepResult result = Sweep(FindScenario("UploadDispatchDownload"), conditions, Injections()[0]);
  if (*driver.complaint == '\0') {
    EXPECT_EQ(result.complaints, "");
  } else {
    EXPECT_THAT(result.complaints, HasSubstr(driver.complaint));
  }
}

TEST(HangGuardTest, EndsAProgramThatHangsInACall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const HangGuard guard("scenario, call 5", 1'000'000);
        std::this_thread::sleep_for(std::chrono::minutes(1));
      },
      "hangs inside a call: scenario, call 5");
}

INSTANTIATE_TEST_SUITE_P(Cuda, SpoiltDriverTest, testing::ValuesIn(SpoiltDrivers().begin(), SpoiltDrivers().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halyard::sweep
