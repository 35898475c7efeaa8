// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failed operation fails what it would have signalled, and so whatever depends on it: along edges and only along
// edges. Random graphs of the same are in queue_random_dag_test.cpp.
#include <string>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

using testing::Each;
using testing::HasSubstr;

class QueueFailureTest : public DeviceTest {
 protected:
  /// An operation that fails once its waits are reached.
  hal_status_t SubmitFailing(const Points& waits, const Points& signals, hal_status_t outcome = HAL_STATUS_DATA_LOSS,
                             const char* message = "failed on purpose") const {
    return device().QueueHostCall(waits, signals, [=](hal_status_t status) {
      if (status != HAL_STATUS_OK) return status;
      hal_set_error_message(hal_string_view(message));
      return outcome;
    });
  }
};

TEST_F(QueueFailureTest, FailsEverySemaphoreThatItWouldHaveSignalled) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore(5);
  ASSERT_OK(SubmitFailing(kNoWaits, {{first, 1}, {second, 6}}));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, first.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("failed on purpose"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, second.Wait(6));
  EXPECT_EQ(first.Value(), 0u);
  EXPECT_EQ(second.Value(), 5u);
}

TEST_F(QueueFailureTest, RunsDownAChainWithTheFirstStatusAndMessage) {
  const Semaphore timeline = CreateSemaphore();
  const Semaphore end = CreateSemaphore();
  ASSERT_OK(SubmitFailing({{timeline, 1}}, {{timeline, 2}}, HAL_STATUS_UNAVAILABLE, "first of all"));
  const Semaphore middle = CreateSemaphore();
  ASSERT_OK(SubmitFailing({{timeline, 2}}, {{middle, 1}}, HAL_STATUS_ABORTED, "never said"));
  ASSERT_OK(Barrier({{middle, 1}}, {{end, 1}}));
  ASSERT_OK(timeline.Signal(1));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, end.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("first of all"));
}

TEST_F(QueueFailureTest, WhatDoesNotDependOnItRuns) {
  const Semaphore failed = CreateSemaphore();
  const Semaphore fine = CreateSemaphore();
  const Semaphore both = CreateSemaphore();
  const Semaphore after = CreateSemaphore();
  ASSERT_OK(SubmitFailing(kNoWaits, {{failed, 1}}));
  ASSERT_OK(Barrier(kNoWaits, {{fine, 1}}));
  ASSERT_OK(Barrier({{failed, 1}, {fine, 1}}, {{both, 1}}));
  ASSERT_OK(Barrier({{fine, 1}}, {{after, 1}}));
  EXPECT_OK(after.Wait(1));
  EXPECT_OK(fine.Wait(1));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, both.Wait(1));
  EXPECT_OK(hal_device_query_health(device()));
}

TEST_F(QueueFailureTest, DependentDoesNotTouchItsTarget) {
  const Buffer target = device().CreateBufferOf(std::vector<uint32_t>(16, 0x11111111));
  const Semaphore failed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(SubmitFailing(kNoWaits, {{failed, 1}}));
  ASSERT_OK(device().QueueFill({{failed, 1}}, {{done, 1}}, target, uint32_t{0x22222222}));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(Download<uint32_t>(target), Each(0x11111111u));
}

TEST_F(QueueFailureTest, ValuesReachedBeforeStayReached) {
  const Semaphore timeline = CreateSemaphore();
  const Semaphore early = CreateSemaphore();
  const Semaphore late = CreateSemaphore();
  ASSERT_OK(Barrier(kNoWaits, {{timeline, 1}}));
  ASSERT_OK(SubmitFailing({{timeline, 1}}, {{timeline, 2}}));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, timeline.Wait(2));
  // Submitted after the failure, but dependent only on what came before it.
  ASSERT_OK(Barrier({{timeline, 1}}, {{early, 1}}));
  ASSERT_OK(Barrier({{timeline, 2}}, {{late, 1}}));
  EXPECT_OK(early.Wait(1));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, late.Wait(1));
}

TEST_F(QueueFailureTest, WakesHostWaitersAndCallbacks) {
  hal_status_t seen = HAL_STATUS_OK;
  std::string message;
  Counter calls;
  const Semaphore go = CreateSemaphore();
  const Semaphore failed = CreateSemaphore();
  ASSERT_OK(SubmitFailing({{go, 1}}, {{failed, 1}}, HAL_STATUS_ABORTED, "wake up"));
  ASSERT_OK(failed.Notify(1, [&](hal_status_t status, const std::string& text) {
    seen = status;
    message = text;
    calls.Add();
  }));
  ASSERT_OK(go.Signal(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, failed.Wait(1));
  ASSERT_TRUE(calls.WaitFor(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, seen);
  EXPECT_THAT(message, HasSubstr("wake up"));
}

TEST_F(QueueFailureTest, OfTwoFailedWaitsOneIsReported) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{first, 1}, {second, 1}}, {{done, 1}}));
  ASSERT_OK(first.Fail(HAL_STATUS_DATA_LOSS, "the earlier"));
  ASSERT_OK(second.Fail(HAL_STATUS_ABORTED, "the later"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the earlier"));
}

TEST_F(QueueFailureTest, LongMessagesArrive) {
  const std::string message = "begin " + std::string(200, 'x') + " end";
  const Semaphore failed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier({{failed, 1}}, {{done, 1}}));
  ASSERT_OK(failed.Fail(HAL_STATUS_ABORTED, message));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(message));
}

/// Every status, from the callback that fails to the far end of a chain.
class QueueFailureStatusTest : public DeviceTestWith<hal_status_t> {};

TEST_P(QueueFailureStatusTest, ArrivesAtTheEndOfAChain) {
  const Semaphore timeline = CreateSemaphore();
  const Semaphore end = CreateSemaphore();
  ASSERT_OK(device().QueueHostCall(kNoWaits, {{timeline, 1}}, [](hal_status_t) {
    hal_set_error_message(hal_string_view("from the callback"));
    return GetParam();
  }));
  ASSERT_OK(Barrier({{timeline, 1}}, {{end, 1}}));
  EXPECT_STATUS(Awaited(GetParam()), end.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("from the callback"));
}

INSTANTIATE_TEST_SUITE_P(Statuses, QueueFailureStatusTest, testing::ValuesIn(kFailures), ByStatus);

}  // namespace
}  // namespace halyard::cts
