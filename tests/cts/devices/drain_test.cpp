// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hal_device_drain(): all that was submitted before is over, with its callbacks and releases.
#include <atomic>
#include <future>
#include <vector>

#include "cts/cts.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

hal_status_t Drain(const Device& device, uint64_t timeout_ns = kForever) {
  return hal_device_drain(device, timeout_ns);
}

/// Each test has a device of its own, so that nothing of another test is in flight.
class DrainTest : public DeviceTest {
 protected:
  const Device own_ = OpenDevice(options().device);
  const Semaphore go_ = own_.CreateSemaphore();
  const Semaphore done_ = own_.CreateSemaphore();
};

TEST_F(DrainTest, NothingWasSubmitted) {
  EXPECT_OK(Drain(own_, 0));
  EXPECT_OK(Drain(own_, HAL_TIMEOUT_INFINITE));
}

TEST_F(DrainTest, DeferredOperationsAreNotOver) {
  ASSERT_OK(own_.QueueBarrier({{go_, 1}}, {{done_, 1}}));
  ASSERT_OK(own_.QueueBarrier({{done_, 1}}, {{done_, 2}}));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, Drain(own_, 0));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("2 of the operations"));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, Drain(own_, 100'000));
  ASSERT_OK(go_.Signal(1));
  EXPECT_OK(Drain(own_));
  EXPECT_EQ(done_.Value(), 2u);
}

TEST_F(DrainTest, FailedOperationsAreOver) {
  ASSERT_OK(own_.QueueBarrier({{go_, 1}}, {{done_, 1}}));
  ASSERT_OK(go_.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_OK(Drain(own_));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done_.Query());
}

// A wait would return while the callback runs.
TEST_F(DrainTest, WaitsForTheCallbacksOfItsSignals) {
  std::promise<void> entered;
  std::promise<void> may_return;
  std::atomic<bool> returned = false;
  ASSERT_OK(done_.Notify(1, [&](hal_status_t, const std::string&) {
    entered.set_value();
    may_return.get_future().wait();
    returned = true;
  }));
  const Buffer buffer = own_.CreateBuffer(4);
  ASSERT_OK(own_.QueueFill({{go_, 1}}, {{done_, 1}}, Ref(buffer, 0, 4), uint32_t{7}));
  const JoiningThread signaller([&] { EXPECT_OK(go_.Signal(1)); });  // on local://sync the thread that calls back
  entered.get_future().wait();
  EXPECT_OK(done_.Wait(1));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, Drain(own_, 0));
  may_return.set_value();
  EXPECT_OK(Drain(own_));
  EXPECT_TRUE(returned);
}

TEST_F(DrainTest, WaitsForHostCallsAndReleases) {
  std::atomic<int> ended = 0;
  std::vector<uint32_t> contents(16, 5);
  const Buffer buffer = own_.CreateBuffer(64);
  for (uint64_t i = 1; i <= 20; ++i) {
    File file;
    void* const released = AddCallback([&](hal_status_t status, const std::string&) {
      ++ended;
      return status;
    });
    ASSERT_OK(hal_file_from_memory(contents.data(), 64, HAL_FILE_ACCESS_READ, CallRelease, released, file.out()));
    ASSERT_OK(own_.QueueRead({{go_, 1}}, {{done_, 2 * i - 1}}, file, 0, Ref(buffer, 0, 64)));
    ASSERT_OK(own_.QueueHostCall({{done_, 2 * i - 1}}, {{done_, 2 * i}}, [&](hal_status_t status) {
      ++ended;
      return status;
    }));
    ASSERT_OK(own_.QueueBarrier({{done_, 2 * i}}, kNoSignals));
    if (i == 1) ASSERT_OK(go_.Signal(1));
    if (i < 20) ASSERT_OK(done_.Wait(2 * i));
  }
  EXPECT_OK(Drain(own_));
  EXPECT_EQ(ended, 40);
}

TEST_F(DrainTest, WaitsForNothingThatIsSubmittedMeanwhile) {
  std::atomic<bool> stop = false;
  std::promise<void> busy;
  const JoiningThread submitter([&] {
    for (uint64_t value = 1; !stop; ++value) {
      ASSERT_OK(own_.QueueBarrier(kNoWaits, {{done_, value}}));
      ASSERT_OK(done_.Wait(value));
      if (value == 10) busy.set_value();
    }
  });
  busy.get_future().wait();
  for (int i = 0; i < 10; ++i) EXPECT_OK(Drain(own_));
  stop = true;
}

TEST_F(DrainTest, IsRefusedInACallback) {
  hal_status_t in_call = HAL_STATUS_OK;
  hal_status_t in_timepoint = HAL_STATUS_OK;
  ASSERT_OK(done_.Notify(1, [&](hal_status_t, const std::string&) { in_timepoint = Drain(own_); }));
  ASSERT_OK(own_.QueueHostCall(kNoWaits, {{done_, 1}}, [&](hal_status_t status) {
    in_call = Drain(own_);
    return status;
  }));
  EXPECT_OK(Drain(own_));
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, in_call);
  EXPECT_STATUS(HAL_STATUS_FAILED_PRECONDITION, in_timepoint);
}

}  // namespace
}  // namespace halyard::cts
