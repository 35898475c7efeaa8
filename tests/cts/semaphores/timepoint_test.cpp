// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Callbacks at points of a timeline: called exactly once, with a status, and cancellable.
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cts/cts.h"
#include "halyard/driver_api.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What a callback was called with; safe to fill from any thread, and by a callback that outlives the test's body.
class Outcome {
 public:
  std::function<void(hal_status_t, const std::string&)> callback() {
    return [call = call_](hal_status_t status, const std::string& message) {
      call->status = status;
      call->message = message;
      call->thread = std::this_thread::get_id();
      call->count.Add();
    };
  }
  /// Waits for the call and returns its status.
  hal_status_t Status() {
    EXPECT_TRUE(call_->count.WaitFor(1)) << "the callback was never called";
    return call_->status;
  }
  bool called() const { return call_->count.count() > 0; }
  const std::string& message() const { return call_->message; }
  std::thread::id thread() const { return call_->thread; }

 private:
  struct Call {
    hal_status_t status = HAL_STATUS_OK;
    std::string message;
    std::thread::id thread;
    Counter count;
  };
  std::shared_ptr<Call> call_ = std::make_shared<Call>();
};

class TimepointTest : public DeviceTest {};

TEST_F(TimepointTest, ReachedValueCallsWithinTheCall) {
  const Semaphore semaphore = CreateSemaphore(5);
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(5, outcome.callback()));
  EXPECT_TRUE(outcome.called());
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, FailedSemaphoreCallsWithinTheCall) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS, "spilt"));
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(1, outcome.callback()));
  EXPECT_TRUE(outcome.called());
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, outcome.Status());
  EXPECT_THAT(outcome.message(), HasSubstr("spilt"));
}

TEST_F(TimepointTest, ValueReachedBeforeTheFailureIsReached) {
  const Semaphore semaphore = CreateSemaphore(2);
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS));
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(2, outcome.callback()));
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, IsCalledWhenTheValueIsReached) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(2, outcome.callback()));
  EXPECT_FALSE(outcome.called());
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_FALSE(outcome.called());
  ASSERT_OK(semaphore.Signal(2));
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, RunsOnTheThreadThatSignals) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(1, outcome.callback()));
  JoiningThread signaller([&] {
    EXPECT_OK(semaphore.Signal(1));
    EXPECT_TRUE(outcome.called());
    EXPECT_EQ(outcome.thread(), std::this_thread::get_id());
  });
}

TEST_F(TimepointTest, LargerSignalCallsAllThatItPasses) {
  Counter reached;
  const Semaphore semaphore = CreateSemaphore();
  Outcome beyond;
  for (uint64_t value = 1; value <= 10; ++value) {
    ASSERT_OK(semaphore.Notify(value, [&](hal_status_t status, const std::string&) {
      EXPECT_OK(status);
      reached.Add();
    }));
  }
  ASSERT_OK(semaphore.Notify(11, beyond.callback()));
  ASSERT_OK(semaphore.Signal(10));
  EXPECT_TRUE(reached.WaitFor(10));
  EXPECT_FALSE(beyond.called());
  ASSERT_OK(semaphore.Signal(11));
  EXPECT_OK(beyond.Status());
}

TEST_F(TimepointTest, IsCalledByADeviceSignal) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(1, outcome.callback()));
  ASSERT_OK(Barrier(kNoWaits, {{semaphore, 1}}));
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, FailureCallsWithItsStatusAndMessage) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome first;
  Outcome second;
  ASSERT_OK(semaphore.Notify(1, first.callback()));
  ASSERT_OK(semaphore.Notify(1000, second.callback()));
  ASSERT_OK(semaphore.Fail(HAL_STATUS_UNAVAILABLE, "out to lunch"));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, first.Status());
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, second.Status());
  EXPECT_THAT(first.message(), HasSubstr("out to lunch"));
  EXPECT_THAT(second.message(), HasSubstr("out to lunch"));
}

TEST_F(TimepointTest, OutputOfTheRegistrationIsOptional) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), nullptr));
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, CancelCallsWithCancelledWithinTheCall) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  hal_timepoint_t timepoint = {};
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
  EXPECT_EQ(timepoint.value, 1u);
  EXPECT_NE(timepoint.sequence, 0u);
  ASSERT_OK(semaphore.Cancel(timepoint));
  EXPECT_TRUE(outcome.called());
  EXPECT_STATUS(HAL_STATUS_CANCELLED, outcome.Status());
  // Neither another cancellation nor the signal calls it again.
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel(timepoint));
  EXPECT_OK(semaphore.Signal(1));
}

TEST_F(TimepointTest, CancelAfterTheCallFindsNothing) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  hal_timepoint_t timepoint = {};
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
  ASSERT_OK(semaphore.Signal(1));
  ASSERT_OK(outcome.Status());
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel(timepoint));
}

TEST_F(TimepointTest, CancelOfWhatWasReachedAtOnceFindsNothing) {
  const Semaphore semaphore = CreateSemaphore(1);
  Outcome outcome;
  hal_timepoint_t timepoint = {99, 99};
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel(timepoint));
}

TEST_F(TimepointTest, CancelOfUnknownRegistrationFindsNothing) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  hal_timepoint_t timepoint = {};
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel({0, 0}));
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel({1, 0}));
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel({timepoint.value, timepoint.sequence + 1000}));
  EXPECT_FALSE(outcome.called());
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(outcome.Status());
}

TEST_F(TimepointTest, CancelTakesOneOfSeveralOnTheSameValue) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcomes[3];
  hal_timepoint_t timepoints[3] = {};
  for (int i = 0; i < 3; ++i) ASSERT_OK(semaphore.Notify(1, outcomes[i].callback(), &timepoints[i]));
  ASSERT_OK(semaphore.Cancel(timepoints[1]));
  EXPECT_FALSE(outcomes[0].called());
  EXPECT_FALSE(outcomes[2].called());
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(outcomes[0].Status());
  EXPECT_STATUS(HAL_STATUS_CANCELLED, outcomes[1].Status());
  EXPECT_OK(outcomes[2].Status());
}

TEST_F(TimepointTest, CancelAfterTheFailureFindsNothing) {
  const Semaphore semaphore = CreateSemaphore();
  Outcome outcome;
  hal_timepoint_t timepoint = {};
  ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel(timepoint));
  EXPECT_STATUS(HAL_STATUS_ABORTED, outcome.Status());
}

TEST_F(TimepointTest, DestroyedSemaphoreCancelsWhatIsPending) {
  Semaphore semaphore = CreateSemaphore();
  Outcome first;
  Outcome second;
  ASSERT_OK(semaphore.Notify(1, first.callback()));
  ASSERT_OK(semaphore.Notify(2, second.callback()));
  ASSERT_OK(semaphore.Signal(1));
  semaphore.reset();
  EXPECT_OK(first.Status());
  EXPECT_STATUS(HAL_STATUS_CANCELLED, second.Status());
}

/// Threads race to settle one registration; whichever comes first decides, and it is called once.
TEST_F(TimepointTest, CancelRacesWithSignal) {
  for (int round = 0; round < 200; ++round) {
    const Semaphore semaphore = CreateSemaphore();
    Outcome outcome;
    hal_timepoint_t timepoint = {};
    ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
    hal_status_t cancelled = HAL_STATUS_OK;
    OnThreads(2, [&](size_t thread) {
      if (thread == 0) {
        EXPECT_OK(semaphore.Signal(1));
      } else {
        cancelled = semaphore.Cancel(timepoint);
      }
    });
    if (cancelled == HAL_STATUS_OK) {
      EXPECT_STATUS(HAL_STATUS_CANCELLED, outcome.Status());
    } else {
      EXPECT_STATUS(HAL_STATUS_NOT_FOUND, cancelled);
      EXPECT_OK(outcome.Status());
    }
  }
}

TEST_F(TimepointTest, CancelRacesWithCancel) {
  for (int round = 0; round < 200; ++round) {
    const Semaphore semaphore = CreateSemaphore();
    Outcome outcome;
    hal_timepoint_t timepoint = {};
    ASSERT_OK(semaphore.Notify(1, outcome.callback(), &timepoint));
    std::atomic<int> successes = 0;
    OnThreads(2, [&](size_t) { successes += semaphore.Cancel(timepoint) == HAL_STATUS_OK; });
    EXPECT_EQ(successes, 1);
    EXPECT_STATUS(HAL_STATUS_CANCELLED, outcome.Status());
  }
}

TEST_F(TimepointTest, RegistrationRacesWithSignal) {
  for (int round = 0; round < 200; ++round) {
    const Semaphore semaphore = CreateSemaphore();
    Outcome outcome;
    OnThreads(2, [&](size_t thread) {
      EXPECT_OK(thread == 0 ? semaphore.Signal(1) : semaphore.Notify(1, outcome.callback()));
    });
    EXPECT_OK(outcome.Status());
  }
}

TEST_F(TimepointTest, FailureRacesWithSignal) {
  for (int round = 0; round < 200; ++round) {
    const Semaphore semaphore = CreateSemaphore();
    Outcome outcome;
    ASSERT_OK(semaphore.Notify(1, outcome.callback()));
    hal_status_t signalled = HAL_STATUS_OK;
    OnThreads(2, [&](size_t thread) {
      if (thread == 0) {
        signalled = semaphore.Signal(1);
      } else {
        EXPECT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
      }
    });
    EXPECT_STATUS(signalled, outcome.Status());  // reached if and only if the signal came first
    EXPECT_STATUS(signalled, semaphore.Wait(1));
  }
}

// The core frees what it hands to a driver once the driver has called it: only a direct registration outlives a second
// call.
TEST_F(TimepointTest, DriverCallsOnce) {
  const Semaphore semaphore = CreateSemaphore();
  const auto* const table = static_cast<const hal_semaphore_vtable_t*>(semaphore.get()->object.vtable);
  Counter calls;
  void* const user_data = AddCallback([&](hal_status_t, const std::string&) {
    calls.Add();
    return HAL_STATUS_OK;
  });
  hal_timepoint_t timepoint = {};
  const hal_status_t status = table->notify(semaphore, 1, CallTimepoint, user_data, &timepoint);
  if (status != HAL_STATUS_OK) WithdrawCallback(user_data);
  ASSERT_OK(status);
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_TRUE(calls.WaitFor(1));
}

// What callbacks may do: anything but block.
class TimepointCallbackTest : public DeviceTest {};

TEST_F(TimepointCallbackTest, SignalsAnotherSemaphore) {
  const Semaphore second = CreateSemaphore();
  const Semaphore first = CreateSemaphore();
  ASSERT_OK(first.Notify(1, [&](hal_status_t, const std::string&) { EXPECT_OK(second.Signal(1)); }));
  ASSERT_OK(first.Signal(1));
  EXPECT_OK(second.Wait(1));
}

TEST_F(TimepointCallbackTest, SignalsItsOwnSemaphoreFurther) {
  const Semaphore semaphore = CreateSemaphore();
  for (uint64_t value = 1; value < 100; ++value) {
    ASSERT_OK(semaphore.Notify(
        value, [&, value](hal_status_t, const std::string&) { EXPECT_OK(semaphore.Signal(value + 1)); }));
  }
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(semaphore.Wait(100));
}

TEST_F(TimepointCallbackTest, RegistersTheNextCallback) {
  Counter calls;
  const Semaphore semaphore = CreateSemaphore();
  std::function<void(uint64_t)> arm = [&](uint64_t value) {
    ASSERT_OK(semaphore.Notify(value, [&, value](hal_status_t status, const std::string&) {
      EXPECT_OK(status);
      if (value < 50) arm(value + 1);
      calls.Add();
    }));
  };
  arm(1);
  for (uint64_t value = 1; value <= 50; ++value) ASSERT_OK(semaphore.Signal(value));
  EXPECT_TRUE(calls.WaitFor(50));
}

TEST_F(TimepointCallbackTest, QueriesItsOwnSemaphore) {
  Counter calls;
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(3, [&](hal_status_t, const std::string&) {
    EXPECT_GE(semaphore.Value(), 3u);
    EXPECT_OK(semaphore.Wait(3, 0));
    calls.Add();
  }));
  ASSERT_OK(semaphore.Signal(3));
  EXPECT_TRUE(calls.WaitFor(1));
}

TEST_F(TimepointCallbackTest, CannotCancelItself) {
  hal_timepoint_t timepoint = {};
  Counter calls;
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Notify(
      1,
      [&](hal_status_t status, const std::string&) {
        EXPECT_OK(status);
        EXPECT_STATUS(HAL_STATUS_NOT_FOUND, semaphore.Cancel(timepoint));
        calls.Add();
      },
      &timepoint));
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_TRUE(calls.WaitFor(1));
}

TEST_F(TimepointCallbackTest, FailsAnotherSemaphore) {
  const Semaphore second = CreateSemaphore();
  const Semaphore first = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(second.Notify(1, outcome.callback()));
  ASSERT_OK(first.Notify(1, [&](hal_status_t status, const std::string&) { EXPECT_OK(second.Fail(status)); }));
  ASSERT_OK(first.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, outcome.Status());
}

TEST_F(TimepointCallbackTest, ReleasesTheLastReferenceToAnotherSemaphore) {
  Semaphore second = CreateSemaphore();
  const Semaphore first = CreateSemaphore();
  Outcome outcome;
  ASSERT_OK(second.Notify(1, outcome.callback()));
  ASSERT_OK(first.Notify(1, [&](hal_status_t, const std::string&) { second.reset(); }));
  ASSERT_OK(first.Signal(1));
  EXPECT_STATUS(HAL_STATUS_CANCELLED, outcome.Status());
}

TEST_F(TimepointCallbackTest, SubmitsWork) {
  const Semaphore done = CreateSemaphore();
  const Semaphore first = CreateSemaphore();
  ASSERT_OK(first.Notify(1, [&](hal_status_t, const std::string&) { EXPECT_OK(Barrier({{first, 1}}, {{done, 1}})); }));
  ASSERT_OK(Barrier(kNoWaits, {{first, 1}}));
  EXPECT_OK(done.Wait(1));
}

TEST_F(TimepointCallbackTest, MakesAndReleasesObjects) {
  Counter calls;
  const Semaphore first = CreateSemaphore();
  ASSERT_OK(first.Notify(1, [&](hal_status_t, const std::string&) {
    const Buffer buffer = CreateBuffer(64);
    const Semaphore semaphore = CreateSemaphore(3);
    EXPECT_EQ(semaphore.Value(), 3u);
    calls.Add();
  }));
  ASSERT_OK(first.Signal(1));
  EXPECT_TRUE(calls.WaitFor(1));
}

/// Many callbacks on one timeline, on values that all differ or all agree.
class TimepointCrowdTest : public DeviceTest {
 protected:
  /// Registers `count` callbacks, `per_value` to a value, and signals in ten steps.
  void RegisterAndSignal(uint64_t count, uint64_t per_value) {
    std::atomic<uint64_t> too_early = 0;
    Counter calls;
    const Semaphore semaphore = CreateSemaphore();
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t value = 1 + i / per_value;
      ASSERT_OK(semaphore.Notify(value, [&, value](hal_status_t status, const std::string&) {
        if (status != HAL_STATUS_OK || semaphore.Value() < value) ++too_early;
        calls.Add();
      }));
    }
    const uint64_t last = 1 + (count - 1) / per_value;
    const uint64_t step = last / 10 + 1;
    for (uint64_t value = step; value < last; value += step) {
      ASSERT_OK(semaphore.Signal(value));
      ASSERT_TRUE(calls.WaitFor(value * per_value));
      EXPECT_EQ(calls.count(), value * per_value);
    }
    ASSERT_OK(semaphore.Signal(last));
    EXPECT_TRUE(calls.WaitFor(count));
    EXPECT_EQ(too_early, 0u);
  }
};

TEST_F(TimepointCrowdTest, ThousandOnDistinctValues) { RegisterAndSignal(1000, 1); }
TEST_F(TimepointCrowdTest, ThousandOnOneValue) { RegisterAndSignal(1000, 1000); }
TEST_F(TimepointCrowdTest, HundredThousandOnDistinctValues) { RegisterAndSignal(100'000, 1); }
TEST_F(TimepointCrowdTest, HundredThousandOnFewValuesSlow) { RegisterAndSignal(100'000, 5000); }

TEST_F(TimepointCrowdTest, DestructionCancelsAThousand) {
  Counter cancelled;
  Semaphore semaphore = CreateSemaphore();
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_OK(semaphore.Notify(1 + i % 7, [&](hal_status_t status, const std::string&) {
      if (status == HAL_STATUS_CANCELLED) cancelled.Add();
    }));
  }
  semaphore.reset();
  EXPECT_TRUE(cancelled.WaitFor(1000));
}

TEST_F(TimepointCrowdTest, RegisteredFromManyThreadsWhileSignalled) {
  constexpr uint64_t kValues = 200;
  Counter calls;
  const Semaphore semaphore = CreateSemaphore();
  OnThreads(4, [&](size_t thread) {
    for (uint64_t value = 1; value <= kValues; ++value) {
      if (thread == 0) {
        ASSERT_OK(semaphore.Signal(value));
      } else {
        ASSERT_OK(semaphore.Notify(value, [&](hal_status_t status, const std::string&) {
          EXPECT_OK(status);
          calls.Add();
        }));
      }
    }
  });
  EXPECT_TRUE(calls.WaitFor(3 * kValues));
}

}  // namespace
}  // namespace halyard::cts
