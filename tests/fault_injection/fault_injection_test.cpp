// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each scenario in both completion modes, with each of the vendor's errors.
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

namespace {

constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds

/// How the driver learns that work is done.
struct Completion {
  const char* name;  ///< as in a URI
};
constexpr Completion kFast = {"fast"};
constexpr Completion kPortable = {"portable"};

/// Whether a case is left to the slow tests: answers of which others of their kind are swept, and under sanitizers all
/// but some scenarios.
bool IsSlow(const Scenario& scenario, const Injection& injection, const Completion& completion) {
  if (injection.status == HAL_STATUS_PERMISSION_DENIED || injection.status == HAL_STATUS_UNIMPLEMENTED) return true;
  if (injection.status == HAL_STATUS_INVALID_ARGUMENT && &completion == &kPortable) return true;
  if (cts::kTimeScale == 1) return false;
  const std::string_view name = scenario.name;
  return name != "TwoQueues" && name != "AllocaChain" && name != "TeardownAtWork" && name != "OpenAndClose";
}

using Case = std::tuple<Scenario, Injection>;

template <const Completion& kCompletion>
std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const auto& [scenario, injection] = info.param;
  const std::string name = std::string(scenario.name) + "_" + injection.name;
  const bool slow = IsSlow(scenario, injection, kCompletion) && name.find("Slow") == std::string::npos;
  return name + (slow ? "_Slow" : "");
}

class FaultInjectionTest : public testing::TestWithParam<Case> {
 protected:
  void ExpectNoComplaints(const Completion& completion) {
    const auto& [scenario, injection] = GetParam();
    Conditions conditions;
    conditions.parameters = std::string("queues=2&completion=") + completion.name;
    conditions.patience = 5 * kSecond * cts::kTimeScale;
    const InjectionResult result = InjectFaults(scenario, conditions, injection);
    EXPECT_EQ(result.complaints, "");
    // No device opens or closes without these.
    EXPECT_THAT(result.failures, testing::Contains(testing::Key(TestedVendor().opens)));
    EXPECT_THAT(result.failures, testing::Contains(testing::Key(TestedVendor().closes)));
    for (const auto& [function, failures] : result.failures) RecordProperty(function, std::to_string(failures));
  }
};

class FastTest : public FaultInjectionTest {};
class PortableTest : public FaultInjectionTest {};

TEST_P(FastTest, EveryFailureIsTold) { ExpectNoComplaints(kFast); }
TEST_P(PortableTest, EveryFailureIsTold) { ExpectNoComplaints(kPortable); }

auto AllCases() {
  return testing::Combine(testing::ValuesIn(AllScenarios()),
                          testing::ValuesIn(Injections().begin(), Injections().end()));
}
INSTANTIATE_TEST_SUITE_P(Calls, FastTest, AllCases(), NameOf<kFast>);
INSTANTIATE_TEST_SUITE_P(Calls, PortableTest, AllCases(), NameOf<kPortable>);

}  // namespace
}  // namespace halyard::fault_injection
