// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host calls: functions of the host in the order of a queue.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

class HostCallTest : public DeviceTest {
 protected:
  hal_status_t HostCall(const Points& waits, const Points& signals,
                        std::function<hal_status_t(hal_status_t)> callback) const {
    return device().QueueHostCall(waits, signals, std::move(callback));
  }
};

TEST_F(HostCallTest, RunsWithOk) {
  std::atomic<int> calls = 0;
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    ++calls;
    EXPECT_OK(status);
    return HAL_STATUS_OK;
  }));
  EXPECT_OK(done.Wait(1));
  EXPECT_EQ(calls, 1);
}

TEST_F(HostCallTest, RunsAfterItsWaits) {
  std::atomic<bool> called = false;
  const Semaphore go = CreateSemaphore();
  const Semaphore passed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall({{go, 1}}, {{done, 1}}, [&](hal_status_t status) {
    called = true;
    EXPECT_GE(go.Value(), 1u);
    return status;
  }));
  ASSERT_OK(HostCall(kNoWaits, {{passed, 1}}, [](hal_status_t status) { return status; }));
  ASSERT_OK(passed.Wait(1));
  EXPECT_FALSE(called);
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(done.Wait(1));
  EXPECT_TRUE(called);
}

TEST_F(HostCallTest, SignalsAfterItReturns) {
  uint64_t value_inside = UINT64_MAX;
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    value_inside = done.Value();
    return status;
  }));
  EXPECT_OK(done.Wait(1));
  EXPECT_EQ(value_inside, 0u);
}

TEST_F(HostCallTest, SeesWhatTheDeviceWrote) {
  const Buffer buffer = CreateBuffer(256, Mappable());
  const Semaphore timeline = CreateSemaphore();
  std::vector<uint32_t> seen;
  ASSERT_OK(device().QueueFill(kNoWaits, {{timeline, 1}}, buffer, uint32_t{0xABCD}));
  ASSERT_OK(HostCall({{timeline, 1}}, {{timeline, 2}}, [&](hal_status_t status) {
    seen = Download<uint32_t>(buffer);
    return status;
  }));
  ASSERT_OK(timeline.Wait(2));
  EXPECT_THAT(seen, Each(0xABCDu));
}

TEST_F(HostCallTest, DeviceSeesWhatItWrote) {
  const Buffer buffer = CreateBuffer(256, Mappable());
  const Buffer copy = CreateBuffer(256);
  const Semaphore timeline = CreateSemaphore();
  ASSERT_OK(HostCall({{timeline, 1}}, {{timeline, 2}}, [&](hal_status_t status) {
    Upload(buffer, std::vector<uint32_t>(64, 77));
    return status;
  }));
  ASSERT_OK(device().QueueCopy({{timeline, 2}}, {{timeline, 3}}, buffer, copy));
  ASSERT_OK(timeline.Signal(1));
  ASSERT_OK(timeline.Wait(3));
  EXPECT_THAT(Download<uint32_t>(copy), Each(77u));
}

TEST_F(HostCallTest, DependentsOfAFailedCallDoNotRun) {
  const Buffer target = device().CreateBufferOf(std::vector<uint32_t>(16, 1));
  const Semaphore timeline = CreateSemaphore();
  ASSERT_OK(HostCall({{timeline, 1}}, {{timeline, 2}}, [](hal_status_t) { return HAL_STATUS_ABORTED; }));
  ASSERT_OK(device().QueueFill({{timeline, 2}}, {{timeline, 3}}, target, uint32_t{2}));
  ASSERT_OK(timeline.Signal(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, timeline.Wait(3));
  EXPECT_EQ(timeline.Value(), 1u);
  EXPECT_THAT(Download<uint32_t>(target), Each(1u));
}

TEST_F(HostCallTest, FailureWithoutMessageArrivesToo) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [](hal_status_t) { return HAL_STATUS_UNAVAILABLE; }));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, done.Wait(1));
}

// What another failure left on the thread before is not this callback's message.
TEST_F(HostCallTest, MessageIsThatOfTheCallback) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [](hal_status_t) {
    EXPECT_NE(hal_semaphore_signal(nullptr, 1), HAL_STATUS_OK);
    hal_set_error_message(hal_string_view("in my own words"));
    return HAL_STATUS_ABORTED;
  }));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("in my own words"));
}

TEST_F(HostCallTest, FailedWaitReachesTheCallback) {
  hal_status_t seen = HAL_STATUS_OK;
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall({{bad, 1}}, {{done, 1}}, [&](hal_status_t status) {
    seen = status;
    return status;
  }));
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  ExpectAllCallbacksCalled();
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, seen);
}

TEST_F(HostCallTest, CannotTurnAFailedWaitIntoSuccess) {
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall({{bad, 1}}, {{done, 1}}, [](hal_status_t) { return HAL_STATUS_OK; }));
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "the wait's"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the wait's"));
}

TEST_F(HostCallTest, CannotReplaceTheFailureOfAWait) {
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall({{bad, 1}}, {{done, 1}}, [](hal_status_t) {
    hal_set_error_message(hal_string_view("another story"));
    return HAL_STATUS_ABORTED;
  }));
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "the wait's"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the wait's"));
}

TEST_F(HostCallTest, CancelledCallIsCalledWithCancelled) {
  hal_status_t seen = HAL_STATUS_OK;
  Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall({{go, 1}}, {{done, 1}}, [&](hal_status_t status) {
    seen = status;
    return status;
  }));
  go.reset();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
  ExpectAllCallbacksCalled();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, seen);
}

TEST_F(HostCallTest, ManyIndependentCallsAreEachCalledOnce) {
  constexpr size_t kCalls = 1000;
  std::vector<std::atomic<int>> calls(kCalls);
  const Semaphore go = CreateSemaphore();
  for (size_t i = 0; i < kCalls; ++i) {
    ASSERT_OK(device().QueueHostCall(
        i % 2 ? Points({{go, 1}}) : kNoWaits, kNoSignals,
        [&, i](hal_status_t status) {
          ++calls[i];
          return status;
        },
        device().Queue(i)));
  }
  ASSERT_OK(go.Signal(1));
  ExpectAllCallbacksCalled();
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

// A call that takes its time holds up neither its queue nor the thread that submits to it.
TEST_F(HostCallTest, OtherWorkGoesOnMeanwhile) {
  Counter entered;
  const Semaphore others_done = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  auto submitter = std::async(std::launch::async, [&] {
    return device().QueueHostCall(
        kNoWaits, {{done, 1}},
        [&](hal_status_t status) {
          entered.Add();
          EXPECT_OK(others_done.Wait(1));
          return status;
        },
        device().Queue(0));
  });
  ASSERT_TRUE(entered.WaitFor(1));
  const Buffer buffer = CreateBuffer(64);
  ASSERT_OK(device().QueueFill(kNoWaits, {{others_done, 1}}, buffer, uint32_t{1}, device().Queue(0)));
  EXPECT_OK(others_done.Wait(1));
  EXPECT_OK(submitter.get());
  EXPECT_OK(done.Wait(1));
}

// What the callback may do: anything but block.
TEST_F(HostCallTest, EnqueuesWork) {
  const Buffer buffer = device().CreateBufferOf(std::vector<uint32_t>(16, 0));
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{first, 1}}, [&](hal_status_t status) {
    EXPECT_OK(device().QueueFill({{first, 1}}, {{second, 1}}, buffer, uint32_t{5}));  // waits for this very call
    return status;
  }));
  EXPECT_OK(second.Wait(1));
  EXPECT_THAT(Download<uint32_t>(buffer), Each(5u));
}

TEST_F(HostCallTest, EnqueuesTheNextCall) {
  constexpr uint64_t kCalls = 500;
  std::vector<uint64_t> order;
  const Semaphore timeline = CreateSemaphore();
  std::function<hal_status_t(uint64_t)> enqueue = [&](uint64_t i) {
    return HostCall({{timeline, i}}, {{timeline, i + 1}}, [&, i](hal_status_t status) {
      order.push_back(i);  // the timeline orders these calls
      if (i + 1 < kCalls) {
        EXPECT_OK(enqueue(i + 1));
      }
      return status;
    });
  };
  ASSERT_OK(enqueue(0));
  ASSERT_OK(timeline.Wait(kCalls));
  ASSERT_EQ(order.size(), kCalls);
  for (uint64_t i = 0; i < kCalls; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(HostCallTest, SignalsFromTheInside) {
  const Semaphore inside = CreateSemaphore();
  const Semaphore dependent = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{inside, 1}}, {{dependent, 1}}));
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    EXPECT_OK(inside.Signal(1));
    return status;
  }));
  EXPECT_OK(dependent.Wait(1));
  EXPECT_OK(done.Wait(1));
}

// What the call itself did to its signal stands.
TEST_F(HostCallTest, MayFailItsOwnSignal) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    EXPECT_OK(done.Fail(HAL_STATUS_ABORTED, "from within"));
    return status;
  }));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
}

TEST_F(HostCallTest, NumberThatIsNoStatusIsInternal) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [](hal_status_t) { return static_cast<hal_status_t>(12345); }));
  EXPECT_STATUS(HAL_STATUS_INTERNAL, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr("12345"));
}

TEST_F(HostCallTest, MakesAndReleasesObjects) {
  const Semaphore done = CreateSemaphore();
  auto held = std::make_shared<Buffer>(CreateBuffer(4096));
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [this, held = std::move(held)](hal_status_t status) {
    held->reset();
    const Buffer buffer = CreateBuffer(64);
    const CommandBuffer commands = device().Record([](const CommandBuffer& c) { EXPECT_OK(c.Barrier()); });
    const Semaphore semaphore = CreateSemaphore(9);
    EXPECT_EQ(semaphore.Value(), 9u);
    return status;
  }));
  EXPECT_OK(done.Wait(1));
}

TEST_F(HostCallTest, RegistersATimepointOnItsOwnSignal) {
  Counter calls;
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [&](hal_status_t status) {
    EXPECT_OK(done.Notify(1, [&](hal_status_t result, const std::string&) {
      EXPECT_OK(result);
      calls.Add();
    }));
    EXPECT_EQ(calls.count(), 0u);
    return status;
  }));
  EXPECT_TRUE(calls.WaitFor(1));
}

TEST_F(HostCallTest, ReleasesTheLastReferenceToADevice) {
  auto other = std::make_shared<Device>(OpenSecondDevice());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(HostCall(kNoWaits, {{done, 1}}, [other = std::move(other)](hal_status_t status) {
    other->reset();
    return status;
  }));
  EXPECT_OK(done.Wait(1));
}

/// Every status that a callback can return, and every one that a wait can hand it.
class HostCallStatusTest : public DeviceTestWith<hal_status_t> {};

TEST_P(HostCallStatusTest, ReturnedByTheCallbackFailsItsSignals) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore(3);
  ASSERT_OK(device().QueueHostCall(kNoWaits, {{first, 1}, {second, 4}}, [](hal_status_t) {
    hal_set_error_message(hal_string_view("in words"));
    return GetParam();
  }));
  EXPECT_STATUS(Awaited(GetParam()), first.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("in words"));
  EXPECT_STATUS(Awaited(GetParam()), second.Wait(4));
  EXPECT_EQ(second.Value(), 3u);
}

TEST_P(HostCallStatusTest, OfAFailedWaitReachesTheCallback) {
  hal_status_t seen = HAL_STATUS_OK;
  const Semaphore bad = CreateSemaphore();
  ASSERT_OK(bad.Fail(GetParam()));
  ASSERT_OK(device().QueueHostCall({{bad, 1}}, kNoSignals, [&](hal_status_t status) {
    seen = status;
    return HAL_STATUS_OK;
  }));
  ExpectAllCallbacksCalled();
  EXPECT_STATUS(GetParam(), seen);
}

INSTANTIATE_TEST_SUITE_P(Statuses, HostCallStatusTest, testing::ValuesIn(kFailures), ByStatus);

}  // namespace
}  // namespace halyard::cts
