// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each error with which Metal ends a command buffer, while two devices with two queues each wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fault_injection/exchange.h"
#include "fault_injection/hang_guard.h"
#include "fault_injection/simulated_test.h"

namespace halyard::fault_injection {
namespace {

using cts::kNoWaits;
using testing::HasSubstr;

class CommandBufferErrorTest : public SimulatedTest, public testing::WithParamInterface<int> {
 protected:
  /// Whether the n-th command buffer of the first device was there, and so failed.
  bool FailOne(uint64_t nth) {
    SCOPED_TRACE("command buffer " + std::to_string(nth));
    const HangGuard guard("a command buffer's error " + std::to_string(GetParam()), 4 * cts::kForever);
    Witness witness("metal", "queues=2");
    Exchange exchange(witness);
    Simulator().LoseDevice(0, nth, GetParam());
    exchange.Submit();
    exchange.Await();
    ExpectWorks(exchange.second(), 7);
    const std::string words = "MTLCommandBufferErrorDomain " + std::to_string(GetParam());
    for (const std::string& failure : exchange.failures()) {
      EXPECT_THAT(failure, HasSubstr(": DEVICE_LOST: "));
      EXPECT_THAT(failure, HasSubstr(words));
    }
    if (exchange.failures().empty()) return false;
    ExpectWorks(witness.Open(0), 8);  // beside the lost one
    EXPECT_EQ(exchange.first().QueueBarrier(kNoWaits, cts::kNoSignals), HAL_STATUS_DEVICE_LOST);
    EXPECT_THAT(hal_last_error_message(), HasSubstr(words));
    return true;
  }
};

TEST_P(CommandBufferErrorTest, LosesTheDeviceAndWhatWaitsForIt) {
  uint64_t nth = 1;
  while (nth < 100 && FailOne(nth)) ++nth;
  EXPECT_EQ(nth, 1 + Exchange::kSteps / 2);  // the first device's steps
}

INSTANTIATE_TEST_SUITE_P(Metal, CommandBufferErrorTest, testing::Values(1, 2, 3, 4, 7, 8, 9, 10, 11, 12));

}  // namespace
}  // namespace halyard::fault_injection
