// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each error with which Metal ends a command buffer, while two devices with two queues each wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fault_injection/hang_guard.h"
#include "fault_injection/metal_test.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::kNoWaits;
using cts::Semaphore;
using testing::HasSubstr;
using Words = std::vector<uint32_t>;

/// Work that goes to and fro between two devices and their queues, and some that has nothing to do with it.
class Exchange {
 public:
  static constexpr uint64_t kSteps = 8;

  explicit Exchange(Witness& witness) : devices_{witness.Open(0), witness.Open(1)} {
    for (const Device& device : devices_) times_.push_back(device.CreateSemaphore());
    for (uint64_t step = 1; step <= kSteps; ++step) {
      buffers_.push_back(devices_[(step - 1) % 2].CreateBufferOf(Words(64, 0), cts::Mappable()));
    }
    apart_ = devices_[1].CreateSemaphore();
    alone_ = devices_[1].CreateBufferOf(Words(64, 0), cts::Mappable());
  }

  const Device& first() const { return devices_[0]; }
  const Device& second() const { return devices_[1]; }

  /// Steps 1, 3, … run on the first device, the others on the second. A device that is lost meanwhile refuses some.
  void Submit() {
    EXPECT_EQ(second().QueueFill<uint32_t>(kNoWaits, {{apart_, 1}}, alone_, 5, second().Queue(1)), HAL_STATUS_OK);
    for (uint64_t step = 1; step <= kSteps && submitted_ == step - 1; ++step) {
      const size_t on = (step - 1) % 2;
      const Semaphore& before = times_[1 - on];
      const cts::Points waits = step == 1 ? kNoWaits : cts::Points{{before, step - 1}};
      const hal_status_t status =
          devices_[on].QueueFill<uint32_t>(waits, {{times_[on], step}}, buffers_[step - 1], static_cast<uint32_t>(step),
                                           devices_[on].Queue((step - 1) / 2 % 2));
      if (status == HAL_STATUS_OK) ++submitted_;
      if (status != HAL_STATUS_OK) Note(status, "submission");
    }
  }

  /// Steps are reached up to one, and all later ones fail.
  void Await() {
    bool failed = false;
    for (uint64_t step = 1; step <= submitted_; ++step) {
      const hal_status_t status = times_[(step - 1) % 2].Wait(step);
      EXPECT_FALSE(failed && status == HAL_STATUS_OK) << "step " << step << " is reached after a failure";
      failed |= status != HAL_STATUS_OK;
      if (status != HAL_STATUS_OK) Note(status, "step " + std::to_string(step));
    }
    EXPECT_EQ(apart_.Wait(1), HAL_STATUS_OK) << hal_last_error_message();
    EXPECT_EQ(second().Download<uint32_t>(alone_), Words(64, 5));
  }

  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void Note(hal_status_t status, const std::string& what) {
    failures_.push_back(what + ": " + hal_status_name(status) + ": " + hal_last_error_message());
  }

  const Device devices_[2];
  std::vector<cts::Buffer> buffers_;  // one a step: what waited for a failure is over in any order
  std::vector<Semaphore> times_;
  Semaphore apart_;
  cts::Buffer alone_;
  uint64_t submitted_ = 0;
  std::vector<std::string> failures_;
};

class CommandBufferErrorTest : public SimulatedMetalTest, public testing::WithParamInterface<int> {
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
