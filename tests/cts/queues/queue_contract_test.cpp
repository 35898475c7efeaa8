// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for every kind of queue operation: it waits, runs, signals; it takes its failures from its waits; what it
// needs is copied by the call; what is refused leaves no trace.
#include <memory>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/queue_operations.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

/// Completes work on every queue that was submitted after everything so far. An operation that could run has had its
/// chance afterwards, so a test sees a driver that ignores a wait.
void LetOthersPass(const Device& device) {
  const Buffer scratch = device.CreateBuffer(64);
  const Semaphore passed = device.CreateSemaphore();
  uint64_t value = 0;
  for (uint32_t queue = 0; queue < device.info().queue_count; ++queue) {
    for (int i = 0; i < 2; ++i) {
      ++value;
      Check(device.QueueFill({{passed, value - 1}}, {{passed, value}}, scratch, uint32_t{7}, device.Queue(queue)),
            "hal_device_queue_fill");
    }
  }
  Check(passed.Wait(value), "passing work");
}

class QueueContractTest : public DeviceTestWith<OperationKind> {
 protected:
  // Not in a constructor: an exclusion catches what is thrown from here on.
  void SetUp() override { operation_ = GetParam().make(device()); }

  hal_status_t Submit(const Points& waits, const Points& signals, hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return operation_.submit(queues, waits, signals);
  }
  /// Expects that the results show whether it ran, for operations that have results.
  void ExpectDone(bool done) const {
    if (operation_.is_done) {
      EXPECT_EQ(operation_.is_done(), done);
    }
  }

  Operation operation_;
};

TEST_P(QueueContractTest, RunsAndSignals) {
  const Semaphore done = CreateSemaphore();
  ExpectDone(false);
  ASSERT_OK(Submit(kNoWaits, {{done, 1}}));
  EXPECT_OK(done.Wait(1));
  EXPECT_EQ(done.Value(), 1u);
  ExpectDone(true);
}

TEST_P(QueueContractTest, NeedsNeitherWaitsNorSignals) { EXPECT_OK(Submit(kNoWaits, kNoSignals)); }

TEST_P(QueueContractTest, SignalsEverySemaphoreWithItsValue) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore(5);
  const Semaphore third = CreateSemaphore();
  ASSERT_OK(Submit(kNoWaits, {{first, 1}, {second, 7}, {third, 1000}}));
  EXPECT_OK(first.Wait(1));
  EXPECT_OK(second.Wait(7));
  EXPECT_OK(third.Wait(1000));
  EXPECT_EQ(first.Value(), 1u);
  EXPECT_EQ(second.Value(), 7u);
  EXPECT_EQ(third.Value(), 1000u);
}

TEST_P(QueueContractTest, RunsOnEveryQueue) {
  for (uint32_t queue = 0; queue < device().info().queue_count; ++queue) {
    const Operation operation = GetParam().make(device());
    const Semaphore done = CreateSemaphore();
    ASSERT_OK(operation.submit(device().Queue(queue), kNoWaits, Points({{done, 1}})));
    EXPECT_OK(done.Wait(1)) << "queue " << queue;
  }
}

TEST_P(QueueContractTest, ReachedWaitsAreNoHindrance) {
  const Semaphore first = CreateSemaphore(3);
  const Semaphore second = CreateSemaphore(1);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{first, 0}, {first, 3}, {second, 1}}, {{done, 1}}));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, IsDeferredUntilEveryWaitIsReached) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Semaphore reached = CreateSemaphore(9);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{first, 1}, {reached, 9}, {second, 2}}, {{done, 1}}));
  LetOthersPass(device());
  EXPECT_EQ(done.Value(), 0u);
  ExpectDone(false);

  ASSERT_OK(first.Signal(1));
  ASSERT_OK(second.Signal(1));
  LetOthersPass(device());
  EXPECT_EQ(done.Value(), 0u);
  ExpectDone(false);

  ASSERT_OK(second.Signal(2));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, IsReleasedByALargerValue) {
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{go, 3}}, {{done, 1}}));
  ASSERT_OK(go.Signal(100));
  EXPECT_OK(done.Wait(1));
}

TEST_P(QueueContractTest, IsReleasedByALaterOperation) {
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{go, 1}}, {{done, 1}}, device().Queue(0)));
  ASSERT_OK(device().QueueBarrier(kNoWaits, {{go, 1}}, device().Queue(1)));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, FollowsAnEarlierOperation) {
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Barrier(kNoWaits, {{go, 1}}));
  ASSERT_OK(Submit({{go, 1}}, {{done, 1}}));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, MayWaitForAndSignalOneTimeline) {
  const Semaphore timeline = CreateSemaphore();
  ASSERT_OK(Submit({{timeline, 1}}, {{timeline, 2}}));
  ASSERT_OK(timeline.Signal(1));
  EXPECT_OK(timeline.Wait(2));
  ExpectDone(true);
}

TEST_P(QueueContractTest, TakesLongLists) {
  std::vector<Semaphore> inputs;
  std::vector<Semaphore> outputs;
  Points waits;
  Points signals;
  for (int i = 0; i < 64; ++i) {
    inputs.push_back(CreateSemaphore());
    outputs.push_back(CreateSemaphore());
    waits.Add(inputs.back(), 1);
    signals.Add(outputs.back(), 1);
  }
  ASSERT_OK(Submit(waits, signals));
  for (const Semaphore& input : inputs) {
    EXPECT_EQ(outputs[0].Value(), 0u);
    ASSERT_OK(input.Signal(1));
  }
  for (const Semaphore& output : outputs) EXPECT_OK(output.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, CapturesItsLists) {
  const Semaphore go = CreateSemaphore();
  const Semaphore wrong = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  auto waits = std::make_unique<hal_timeline_point_t[]>(1);
  auto signals = std::make_unique<hal_timeline_point_t[]>(1);
  waits[0] = {go, 1};
  signals[0] = {done, 1};
  ASSERT_OK(operation_.submit(HAL_QUEUE_ANY, {waits.get(), 1}, {signals.get(), 1}));
  waits[0] = {wrong, 50};
  signals[0] = {wrong, 60};
  waits.reset();
  signals.reset();
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(done.Wait(1));
  EXPECT_EQ(wrong.Value(), 0u);
}

TEST_P(QueueContractTest, KeepsWhatItNeedsAlive) {
  const Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{go, 1}}, {{done, 1}}));
  operation_ = {};  // releases every buffer, file, recording and executable
  ASSERT_OK(go.Signal(1));
  EXPECT_OK(done.Wait(1));
}

TEST_P(QueueContractTest, KeepsTheSemaphoresThatItSignalsAlive) {
  hal_status_t status = HAL_STATUS_INTERNAL;
  Counter calls;
  const Semaphore go = CreateSemaphore();
  Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{go, 1}}, {{done, 1}}));
  ASSERT_OK(done.Notify(1, [&](hal_status_t result, const std::string&) {
    status = result;
    calls.Add();
  }));
  done.reset();
  EXPECT_EQ(calls.count(), 0u);
  ASSERT_OK(go.Signal(1));
  ASSERT_TRUE(calls.WaitFor(1));
  EXPECT_OK(status);
}

TEST_P(QueueContractTest, IsCancelledWhenItsWaitCannotBeSignalled) {
  Semaphore go = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{go, 1}}, {{done, 1}}));
  go.reset();
  EXPECT_STATUS(HAL_STATUS_CANCELLED, done.Wait(1));
  ExpectDone(false);
}

TEST_P(QueueContractTest, FailsWithAWaitThatHasFailed) {
  const Semaphore good = CreateSemaphore(1);
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Semaphore also = CreateSemaphore(3);
  ASSERT_OK(bad.Fail(HAL_STATUS_DATA_LOSS, "the root of it"));
  ASSERT_OK(Submit({{good, 1}, {bad, 1}}, {{done, 1}, {also, 4}}));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the root of it"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, also.Wait(4));
  EXPECT_EQ(also.Value(), 3u);
  ExpectDone(false);
}

TEST_P(QueueContractTest, FailsWithAWaitThatFailsLater) {
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{bad, 1}}, {{done, 1}}));
  ASSERT_OK(bad.Fail(HAL_STATUS_UNAVAILABLE, "changed its mind"));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, done.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("changed its mind"));
  ExpectDone(false);
}

TEST_P(QueueContractTest, FailsOnceOneOfSeveralWaitsFails) {
  const Semaphore never = CreateSemaphore();
  const Semaphore bad = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit({{never, 1}, {bad, 1}}, {{done, 1}}));
  ASSERT_OK(bad.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  ASSERT_OK(never.Signal(1));
  ExpectDone(false);
}

TEST_P(QueueContractTest, ValueReachedBeforeTheFailureLetsItRun) {
  const Semaphore failed_later = CreateSemaphore(4);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(failed_later.Fail(HAL_STATUS_ABORTED));
  ASSERT_OK(Submit({{failed_later, 4}}, {{done, 1}}));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

TEST_P(QueueContractTest, SignalOfAFailedSemaphoreKeepsItsFailure) {
  const Semaphore failed = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(failed.Fail(HAL_STATUS_ABORTED, "before"));
  ASSERT_OK(Submit(kNoWaits, {{failed, 1}, {done, 1}}));
  EXPECT_OK(done.Wait(1));
  EXPECT_STATUS(HAL_STATUS_ABORTED, failed.Wait(1));
  EXPECT_EQ(failed.Value(), 0u);
}

// A signal that does not advance the timeline when it executes fails the semaphore, and leaves its value.
TEST_P(QueueContractTest, LateSignalFailsItsSemaphore) {
  const Semaphore go = CreateSemaphore();
  const Semaphore overtaken = CreateSemaphore();
  ASSERT_OK(Submit({{go, 1}}, {{overtaken, 2}}));
  ASSERT_OK(overtaken.Signal(5));
  ASSERT_OK(go.Signal(1));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, overtaken.Wait(6));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, overtaken.Query());
  EXPECT_EQ(overtaken.Value(), 5u);
}

TEST_P(QueueContractTest, SignalsOneSemaphoreInTheOrderOfTheList) {
  const Semaphore rising = CreateSemaphore();
  const Semaphore falling = CreateSemaphore();
  ASSERT_OK(Submit(kNoWaits, {{rising, 1}, {falling, 2}, {rising, 3}, {falling, 1}}));
  EXPECT_OK(rising.Wait(3));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, falling.Wait(3));
  EXPECT_EQ(falling.Value(), 2u);
}

TEST_P(QueueContractTest, AMaskOfZeroStandsForAnyQueue) {
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(Submit(kNoWaits, {{done, 1}}, 0));
  EXPECT_OK(done.Wait(1));
  ExpectDone(true);
}

/// Calls that must be refused, and leave everything as it was.
class QueueRefusalTest : public QueueContractTest {
 protected:
  /// Expects that a refused call did nothing: it has not run, and can be submitted as if it had never been.
  void ExpectNothingHappened(const Semaphore& done) const {
    LetOthersPass(device());
    ExpectDone(false);
    EXPECT_OK(done.Query());
    EXPECT_EQ(done.Value(), 0u);
    ASSERT_OK(Submit(kNoWaits, {{done, 1}}));
    EXPECT_OK(done.Wait(1));
    ExpectDone(true);
  }
};

TEST_P(QueueRefusalTest, UnknownQueue) {
  const uint32_t queues = device().info().queue_count;
  const Semaphore done = CreateSemaphore();
  if (queues < 64) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Submit(kNoWaits, {{done, 1}}, UINT64_C(1) << queues));
  }
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, SignalAboveTheMaximum) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  const Semaphore done = CreateSemaphore();
  if (maximum < UINT64_MAX) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Submit(kNoWaits, {{done, maximum + 1}}));
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Submit(kNoWaits, {{done, UINT64_MAX}}));
  }
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, WaitAboveTheMaximum) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  const Semaphore never = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  if (maximum < UINT64_MAX) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Submit({{never, maximum + 1}}, {{done, 1}}));
  }
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, SignalOfZero) {
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(kNoWaits, {{done, 1}, {done, 0}}));
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, NullSemaphoreToWaitFor) {
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit({{nullptr, 1}}, {{done, 1}}));
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, NullSemaphoreToSignal) {
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Submit(kNoWaits, {{done, 1}, {nullptr, 1}}));
  ExpectNothingHappened(done);
}

TEST_P(QueueRefusalTest, NullList) {
  const Semaphore done = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, operation_.submit(HAL_QUEUE_ANY, {nullptr, 1}, Points({{done, 1}})));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, operation_.submit(HAL_QUEUE_ANY, kNoWaits, {nullptr, 2}));
  ExpectNothingHappened(done);
}

INSTANTIATE_TEST_SUITE_P(Operations, QueueContractTest, testing::ValuesIn(OperationKinds()), ByName);
INSTANTIATE_TEST_SUITE_P(Operations, QueueRefusalTest, testing::ValuesIn(OperationKinds()), ByName);

}  // namespace
}  // namespace halyard::cts
