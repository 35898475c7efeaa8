// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that are lost, and tell it at once, late or never (tests/sim/README.md).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fault_injection/exchange.h"
#include "fault_injection/hang_guard.h"
#include "fault_injection/simulated_test.h"
#include "vulkan/vulkan_control.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::kNoWaits;
using testing::HasSubstr;

void LoseFirst(HalyardSimLoss how) {
  decltype(&halyardSimLoseVulkan) lose = nullptr;
  sim::FindSymbol(dlopen(HALYARD_SIM_LIBRARY, RTLD_NOW | RTLD_LOCAL), "halyardSimLoseVulkan", &lose);
  EXPECT_GT(lose(0, how), 0u);
}

std::string NameOf(const testing::TestParamInfo<HalyardSimLoss>& info) {
  const char* const names[] = {"Told", "Late", "Silent"};
  return names[info.param];
}

class VulkanLossTest : public SimulatedTest, public testing::WithParamInterface<HalyardSimLoss> {
 protected:
  void SetUp() override {
    SimulatedTest::SetUp();
    guard_ = std::make_unique<HangGuard>("a lost device", 4 * cts::kForever);
  }
  void TearDown() override {
    SimulatedTest::TearDown();
    guard_.reset();
  }

  static void ExpectLost(const Device& device) {
    EXPECT_EQ(device.QueueBarrier(kNoWaits, cts::kNoSignals), HAL_STATUS_DEVICE_LOST);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("VK_ERROR_DEVICE_LOST"));
  }

  /// Whether the first device made the n-th submission, and so was lost.
  bool LoseAt(uint64_t nth) {
    SCOPED_TRACE("submission " + std::to_string(nth));
    const Witness witness("vulkan", "queues=2");
    Exchange exchange(witness);
    Simulator().LoseDevice(0, nth, GetParam());
    exchange.Submit();
    exchange.Await();
    ExpectWorks(exchange.second(), 7);
    for (const std::string& failure : exchange.failures()) {
      EXPECT_THAT(failure, HasSubstr(": DEVICE_LOST: "));
      EXPECT_THAT(failure, HasSubstr("VK_ERROR_DEVICE_LOST"));
    }
    if (exchange.failures().empty()) return false;
    ExpectWorks(witness.Open(0), 8);  // beside the lost one
    ExpectLost(exchange.first());
    return true;
  }

 private:
  std::unique_ptr<HangGuard> guard_;
};

TEST_P(VulkanLossTest, FailsAllThatIsPendingAndWhatWaitsForIt) {
  uint64_t nth = 1;
  while (nth < 100 && LoseAt(nth)) ++nth;
  EXPECT_EQ(nth, 1 + Exchange::kSteps / 2);  // the first device's steps
}

// The simulation ends what was submitted, and shows none of it.
TEST_P(VulkanLossTest, IsFoundByTheNextWork) {
  const Witness witness("vulkan", "queues=2");
  const Device lost = witness.Open(0);
  const Device other = witness.Open(1);
  ExpectWorks(lost, 1);
  const auto buffer = lost.CreateBuffer(256);
  std::vector<cts::Semaphore> ends;
  for (int i = 0; i < 4; ++i) ends.push_back(lost.CreateSemaphore());
  LoseFirst(GetParam());
  for (size_t i = 0; i < ends.size(); ++i) {
    const hal_status_t status = lost.QueueFill<uint32_t>(kNoWaits, {{ends[i], 1}}, buffer, 2, lost.Queue(i));
    EXPECT_TRUE(status == HAL_STATUS_OK || status == HAL_STATUS_DEVICE_LOST) << hal_status_name(status);
  }
  for (const cts::Semaphore& end : ends) EXPECT_EQ(end.Wait(1), HAL_STATUS_DEVICE_LOST);
  ExpectLost(lost);
  ExpectWorks(other, 3);
  ExpectWorks(witness.Open(0), 4);
}

// No thread waits for what is closed.
TEST_P(VulkanLossTest, EndsTheDrainOfADeviceThatIsClosed) {
  const Witness witness("vulkan", "queues=2");
  Simulator().LoseDevice(0, 1, GetParam());
  const Device lost = witness.Open(0);
  const auto buffer = lost.CreateBuffer(256);
  for (size_t i = 0; i < 2; ++i) {
    static_cast<void>(lost.QueueFill<uint32_t>(kNoWaits, cts::kNoSignals, buffer, 2, lost.Queue(i)));
  }
}

INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanLossTest,
                         testing::Values(HALYARD_SIM_LOSS_TOLD, HALYARD_SIM_LOSS_LATE, HALYARD_SIM_LOSS_SILENT),
                         NameOf);

/// A family with one queue has none to spare.
class OneQueueLossTest : public VulkanLossTest {
 protected:
  void SetUp() override {
    VulkanLossTest::SetUp();
    before_ = std::getenv("HALYARD_SIM_VULKAN_QUEUES");
    setenv("HALYARD_SIM_VULKAN_QUEUES", "1", 1);
  }
  void TearDown() override {
    setenv("HALYARD_SIM_VULKAN_QUEUES", before_.c_str(), 1);
    VulkanLossTest::TearDown();
  }

 private:
  std::string before_;
};

// Nothing tells of the loss: waits end by their limit, and submissions are accepted. The device is left as it is.
class StandstillTest : public OneQueueLossTest {};

TEST_P(StandstillTest, CountsAsLostAfterTheTimeout) {
  leaves_objects_ = true;
  const Witness witness("vulkan", "queues=2&timeout=1");
  const Device other = witness.Open(1);
  {
    const Device lost = witness.Open(0);
    const auto buffer = lost.CreateBuffer(256);
    const cts::Semaphore end = lost.CreateSemaphore();
    const cts::Semaphore later = lost.CreateSemaphore();
    LoseFirst(GetParam());
    ASSERT_EQ(lost.QueueFill<uint32_t>(kNoWaits, {{end, 1}}, buffer, 2), HAL_STATUS_OK);
    ASSERT_EQ(lost.QueueFill<uint32_t>({{end, 1}}, {{later, 1}}, buffer, 3, lost.Queue(1)), HAL_STATUS_OK);
    EXPECT_EQ(later.Wait(1), HAL_STATUS_DEVICE_LOST);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("no work of the device has ended in 1 s of waiting"));
    EXPECT_EQ(end.Wait(1), HAL_STATUS_DEVICE_LOST);
    EXPECT_EQ(lost.QueueBarrier(kNoWaits, cts::kNoSignals), HAL_STATUS_DEVICE_LOST);
  }
  ExpectWorks(other, 3);
  ExpectWorks(witness.Open(0), 4);
}

INSTANTIATE_TEST_SUITE_P(Vulkan, StandstillTest, testing::Values(HALYARD_SIM_LOSS_SILENT), NameOf);

TEST_P(OneQueueLossTest, IsFoundBySubmissions) { EXPECT_TRUE(LoseAt(2)); }

INSTANTIATE_TEST_SUITE_P(Vulkan, OneQueueLossTest, testing::Values(HALYARD_SIM_LOSS_TOLD, HALYARD_SIM_LOSS_LATE),
                         NameOf);

}  // namespace
}  // namespace halyard::fault_injection
