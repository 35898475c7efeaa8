// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each scenario in each mode of its driver, with each of the vendor's errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <tuple>

#include "fault_injection/fault_injector.h"
#include "fault_injection/vendor.h"

namespace halyard::fault_injection {

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
void PrintTo(const Injection& injection, std::ostream* out) { *out << injection.name; }
void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }

namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds

using Case = std::tuple<Scenario, Injection, Mode>;

/// Whether an error before it has the same status.
bool IsRepeated(const Injection& injection) {
  for (const Injection& other : Injections()) {
    if (other.result == injection.result) return false;
    if (other.status == injection.status) return true;
  }
  return false;
}

/// Whether a case is left to the slow tests: answers of which others of their kind are swept, and under sanitizers all
/// but some scenarios.
bool IsSlow(const Case& which) {
  const auto& [scenario, injection, mode] = which;
  if (injection.status == HAL_STATUS_PERMISSION_DENIED || injection.status == HAL_STATUS_UNIMPLEMENTED) return true;
  const bool is_first_mode = std::string_view(mode.name) == TestedVendor().modes[0].name;
  if ((injection.status == HAL_STATUS_INVALID_ARGUMENT || IsRepeated(injection)) && !is_first_mode) return true;
  if (cts::kTimeScale == 1) return false;
  const std::string_view name = scenario.name;
  return name != "TwoQueues" && name != "AllocaChain" && name != "TeardownAtWork" && name != "OpenAndClose";
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const auto& [scenario, injection, mode] = info.param;
  const std::string name = std::string(mode.name) + "_" + scenario.name + "_" + injection.name;
  return name + (IsSlow(info.param) && name.find("Slow") == std::string::npos ? "_Slow" : "");
}

class FaultInjectionTest : public testing::TestWithParam<Case> {};

TEST_P(FaultInjectionTest, EveryFailureIsTold) {
  const auto& [scenario, injection, mode] = GetParam();
  Conditions conditions;
  conditions.parameters = std::string("queues=2&") + mode.parameters;
  conditions.patience = 5 * kSecond * cts::kTimeScale;
  const InjectionResult result = InjectFaults(scenario, conditions, injection);
  EXPECT_EQ(result.complaints, "");
  // No device opens or closes without these.
  for (const std::string_view call : {TestedVendor().opens, TestedVendor().closes}) {
    const bool is_due = !call.empty() && !EndsWork(injection);
    if (is_due) EXPECT_THAT(result.failures, testing::Contains(testing::Key(call)));
  }
  for (const auto& [function, failures] : result.failures) RecordProperty(function, std::to_string(failures));
}

auto CasesIn(const Mode& mode) {
  return testing::Combine(testing::ValuesIn(AllScenarios()),
                          testing::ValuesIn(Injections().begin(), Injections().end()), testing::Values(mode));
}
// An entry of CTest for each.
INSTANTIATE_TEST_SUITE_P(FirstMode, FaultInjectionTest, CasesIn(TestedVendor().modes.front()), NameOf);
INSTANTIATE_TEST_SUITE_P(SecondMode, FaultInjectionTest, CasesIn(TestedVendor().modes.back()), NameOf);

}  // namespace
}  // namespace halyard::fault_injection
