// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the fault injector: it must notice every mutant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <thread>

#include "fault_injection/cuda_mutants.h"
#include "fault_injection/fault_injector.h"
#include "fault_injection/hang_guard.h"

namespace halyard::fault_injection {

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

namespace {

using testing::HasSubstr;

constexpr uint64_t kShortPatience = 300'000'000;  // nanoseconds

class MutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(MutantTest, IsNoticed) {
  const Mutant& mutant = GetParam();
  Conditions conditions;
  conditions.driver = mutant.name;
  conditions.parameters = "queues=1&completion=fast";
  conditions.patience = kShortPatience * cts::kTimeScale;
  const InjectionResult result = InjectFaults(FindScenario("UploadDispatchDownload"), conditions, Injections()[0]);
  if (*mutant.complaint == '\0') {
    EXPECT_EQ(result.complaints, "");
  } else {
    EXPECT_THAT(result.complaints, HasSubstr(mutant.complaint));
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

INSTANTIATE_TEST_SUITE_P(Cuda, MutantTest, testing::ValuesIn(CudaMutants().begin(), CudaMutants().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halyard::fault_injection
