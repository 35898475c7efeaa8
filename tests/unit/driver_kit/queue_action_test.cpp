// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/queue_action.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "test_timeline.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using testing::TestTimeline;

/// Runs on the thread that releases it, and counts what happens to it.
class TestAction final : public QueueAction {
 public:
  TestAction() = default;
  explicit TestAction(hal_status_t outcome) : outcome_(outcome) {}
  ~TestAction() { EXPECT_EQ(readies, recycles) << "an action was forgotten"; }

  void Run() noexcept override {
    deepest = std::max(deepest, ++depth);
    ++runs;
    if (order) order->push_back(name);
    if (work) work();
    Status status = kOk;
    if (wait_failed()) {
      status = wait_failure().Share();
    } else if (outcome_ != HAL_STATUS_OK) {
      status = FailWith(outcome_, "the work failed");
    }
    if (!parked) Complete(status);
    --depth;
  }
  /// Ends an action that was parked.
  void End() { Complete(kOk); }

  std::atomic<int> readies{0};
  std::atomic<int> runs{0};
  std::atomic<int> recycles{0};
  bool parked = false;  // Run() leaves it unfinished
  int name = 0;
  std::vector<int>* order = nullptr;
  std::function<void()> work;

  static thread_local int depth;
  static thread_local int deepest;

 protected:
  void OnReady() noexcept override {
    ++readies;
    DrainScope::Defer(this);
  }
  void Recycle() noexcept override { ++recycles; }

 private:
  const hal_status_t outcome_ = HAL_STATUS_OK;
};

thread_local int TestAction::depth = 0;
thread_local int TestAction::deepest = 0;

using Points = std::vector<hal_timeline_point_t>;

void Submit(TestAction& action, const Points& waits, const Points& signals) {
  action.SetSignals({signals.data(), signals.size()});
  action.Defer({waits.data(), waits.size()});
}

hal_status_t Reached(const TestTimeline& timeline, uint64_t value) { return Publish(timeline->Wait(value, 0)); }

constexpr hal_status_t kNotYet = HAL_STATUS_DEADLINE_EXCEEDED;

TEST(QueueAction, WithoutWaitsItRunsAtOnce) {
  TestTimeline done;
  TestAction action;
  Submit(action, {}, {done.At(1)});
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 1);
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_OK);
}

TEST(QueueAction, IsHeldUntilTheLastWait) {
  std::array<TestTimeline, 3> waits;
  TestTimeline done;
  TestAction action;
  Submit(action, {waits[0].At(1), waits[1].At(5), waits[2].At(1)}, {done.At(1)});
  EXPECT_EQ(waits[2]->Signal(1), kOk);
  EXPECT_EQ(waits[0]->Signal(1), kOk);
  EXPECT_EQ(waits[1]->Signal(4), kOk);
  EXPECT_EQ(action.runs, 0);
  EXPECT_EQ(Reached(done, 1), kNotYet);
  EXPECT_EQ(waits[1]->Signal(6), kOk);
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 1);
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_OK);
}

TEST(QueueAction, TheSamePointTwiceIsOneMoreWait) {
  TestTimeline wait;
  TestAction action;
  Submit(action, {wait.At(1), wait.At(1), wait.At(2)}, {});
  EXPECT_EQ(wait->Signal(1), kOk);
  EXPECT_EQ(action.runs, 0);
  EXPECT_EQ(wait->Signal(2), kOk);
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, IsRecycledOnlyAfterItsEnd) {
  TestTimeline done;
  TestAction action;
  action.parked = true;
  Submit(action, {}, {done.At(1)});
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 0);
  EXPECT_EQ(Reached(done, 1), kNotYet);
  action.End();
  EXPECT_EQ(action.recycles, 1);
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_OK);
}

TEST(QueueAction, CanBeUsedAgain) {
  TestTimeline wait;
  TestTimeline done;
  TestAction action;
  for (uint64_t i = 1; i <= 5; ++i) {
    Submit(action, {wait.At(i)}, {done.At(i)});
    EXPECT_EQ(wait->Signal(i), kOk);
    EXPECT_EQ(action.recycles, static_cast<int>(i));
    EXPECT_EQ(Reached(done, i), HAL_STATUS_OK);
  }
}

TEST(QueueAction, FailureOfTheWorkFailsEverySignal) {
  TestTimeline one;
  TestTimeline two;
  TestAction action(HAL_STATUS_DATA_LOSS);
  Submit(action, {}, {one.At(1), two.At(1)});
  for (const TestTimeline* timeline : {&one, &two}) {
    EXPECT_EQ(Reached(*timeline, 1), HAL_STATUS_DATA_LOSS);
    EXPECT_EQ(LastErrorMessage(), "the work failed");
  }
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, FailureOfAWaitPassesThroughAtOnceWithItsWords) {
  TestTimeline failing;
  TestTimeline pending;
  TestTimeline done;
  TestAction action;
  Submit(action, {pending.At(1), failing.At(1), pending.At(2)}, {done.At(1)});
  failing->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("no more paper")).Ignore();
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_ABORTED);
  EXPECT_EQ(LastErrorMessage(), "no more paper");
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 0) << "two waits may still call back";
  EXPECT_EQ(pending->Signal(1), kOk);
  EXPECT_EQ(action.recycles, 0);
  EXPECT_EQ(pending->Signal(2), kOk);
  EXPECT_EQ(action.recycles, 1);
  EXPECT_EQ(action.runs, 1);
}

TEST(QueueAction, OfSeveralFailuresTheFirstCounts) {
  TestTimeline first;
  TestTimeline second;
  TestTimeline done;
  TestAction action;
  Submit(action, {first.At(1), second.At(1)}, {done.At(1)});
  second->FailTimeline(HAL_STATUS_DATA_LOSS, hal_string_view("second")).Ignore();
  first->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("first")).Ignore();
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(action.runs, 1);
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, AWaitThatHasFailedBeforeFailsItAtOnce) {
  TestTimeline failed;
  TestTimeline done;
  TestAction action;
  failed->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("long ago")).Ignore();
  Submit(action, {failed.At(1)}, {done.At(1)});
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_ABORTED);
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, ALateSignalFailsItsSemaphoreAndNoOther) {
  TestTimeline late(9);
  TestTimeline fine;
  TestAction action;
  Submit(action, {}, {late.At(9), fine.At(1)});
  EXPECT_EQ(Reached(late, 10), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Reached(fine, 1), HAL_STATUS_OK);
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, KeepsWhatItSignalsAlive) {
  TestTimeline wait;
  TestTimeline middle;
  TestTimeline done;
  TestAction signalling;
  TestAction waiting;
  Submit(signalling, {wait.At(1)}, {middle.At(1)});
  Submit(waiting, {middle.At(1)}, {done.At(1)});
  middle.Release();
  EXPECT_EQ(Reached(done, 1), kNotYet);
  EXPECT_EQ(wait->Signal(1), kOk);
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_OK);
}

TEST(QueueAction, ASemaphoreThatCannotBeSignalledCancelsIt) {
  TestTimeline wait;
  TestTimeline done;
  TestAction action;
  Submit(action, {wait.At(1)}, {done.At(1)});
  wait.Release();
  EXPECT_EQ(Reached(done, 1), HAL_STATUS_CANCELLED);
  EXPECT_EQ(action.recycles, 1);
}

TEST(QueueAction, OneSignalReleasesAHundredThousandInTimelineOrder) {
  constexpr int kCount = 100'000;
  TestTimeline wait;
  TestTimeline done;
  std::vector<int> order;
  std::deque<TestAction> actions(kCount);
  for (int i = 0; i < kCount; ++i) {
    actions[static_cast<size_t>(i)].name = i;
    actions[static_cast<size_t>(i)].order = &order;
    const auto value = static_cast<uint64_t>(i + 1);
    Submit(actions[static_cast<size_t>(i)], {wait.At(value)}, {done.At(value)});
  }
  TestAction::deepest = 0;
  EXPECT_EQ(wait->Signal(kCount), kOk);
  ASSERT_EQ(order.size(), static_cast<size_t>(kCount));
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(TestAction::deepest, 1);
  EXPECT_EQ(Reached(done, kCount), HAL_STATUS_OK);
}

// Every action signals what the next one waits for: neither releasing nor failing them may use the stack.
class QueueActionChain : public ::testing::Test {
 protected:
  static constexpr uint64_t kLength = 100'000;

  QueueActionChain() : actions_(kLength) {
    TestAction::deepest = 0;
    for (uint64_t i = 0; i < kLength; ++i) Submit(actions_[i], {timeline_.At(i + 1)}, {timeline_.At(i + 2)});
  }

  TestTimeline timeline_;
  std::deque<TestAction> actions_;
};

TEST_F(QueueActionChain, RunsWithoutRecursion) {
  EXPECT_EQ(timeline_->Signal(1), kOk);
  EXPECT_EQ(timeline_.value(), kLength + 1);
  EXPECT_EQ(TestAction::deepest, 1);
}

TEST_F(QueueActionChain, FailsWithoutRecursion) {
  timeline_->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("snapped")).Ignore();
  for (const TestAction& action : actions_) ASSERT_EQ(action.recycles, 1);
  EXPECT_EQ(TestAction::deepest, 1);
}

TEST(QueueActionChainOfTimelines, FailsFromEndToEndWithoutRecursion) {
  constexpr size_t kLength = 20'000;
  std::vector<TestTimeline> timelines(kLength + 1);
  std::deque<TestAction> actions(kLength);
  TestAction::deepest = 0;
  for (size_t i = 0; i < kLength; ++i) Submit(actions[i], {timelines[i].At(1)}, {timelines[i + 1].At(1)});
  timelines.front()->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("snapped")).Ignore();
  EXPECT_EQ(Reached(timelines.back(), 1), HAL_STATUS_ABORTED);
  EXPECT_EQ(LastErrorMessage(), "snapped");
  EXPECT_EQ(TestAction::deepest, 1);
}

TEST(QueueActionChainOfTimelines, IsCancelledFromEndToEndWhenItsHeadIsReleased) {
  constexpr size_t kLength = 1'000;
  std::vector<TestTimeline> timelines(kLength + 1);
  std::deque<TestAction> actions(kLength);
  for (size_t i = 0; i < kLength; ++i) Submit(actions[i], {timelines[i].At(1)}, {timelines[i + 1].At(1)});
  timelines.front().Release();
  EXPECT_EQ(Reached(timelines.back(), 1), HAL_STATUS_CANCELLED);
}

// --- With threads ----------------------------------------------------------------------------------------------------

TEST(QueueActionThreads, ReachedWaitsFromManyThreadsRunItOnce) {
  constexpr size_t kThreads = 4;
  constexpr uint64_t kRounds = 2000;
  std::array<TestTimeline, kThreads> waits;
  TestTimeline done;
  std::deque<TestAction> actions(kRounds);
  for (uint64_t round = 1; round <= kRounds; ++round) {
    Points points;
    for (const TestTimeline& wait : waits) points.push_back(wait.At(round));
    Submit(actions[round - 1], points, {});
  }
  std::vector<std::thread> signallers;
  for (const TestTimeline& wait : waits) {
    signallers.emplace_back([&wait] {
      for (uint64_t round = 1; round <= kRounds; ++round) ASSERT_EQ(wait->Signal(round), kOk);
    });
  }
  for (std::thread& signaller : signallers) signaller.join();
  for (const TestAction& action : actions) {
    ASSERT_EQ(action.runs, 1);
    ASSERT_EQ(action.recycles, 1);
  }
}

// An action is registered with one semaphore after the other while other threads signal and fail them.
TEST(QueueActionThreads, SubmissionRacesWithSignalsAndFailures) {
  for (int round = 0; round < 1000; ++round) {
    std::array<TestTimeline, 3> waits;
    TestTimeline done;
    TestAction action;
    std::thread signaller([&] {
      waits[0]->Signal(1).Ignore();
      waits[2]->Signal(1).Ignore();
    });
    std::thread failing([&] { waits[1]->FailTimeline(HAL_STATUS_ABORTED, hal_string_view("race")).Ignore(); });
    Submit(action, {waits[0].At(1), waits[1].At(1), waits[2].At(1)}, {done.At(1)});
    EXPECT_EQ(Publish(done->Wait(1, HAL_TIMEOUT_INFINITE)), HAL_STATUS_ABORTED);
    signaller.join();
    failing.join();
    EXPECT_EQ(action.runs, 1);
    EXPECT_EQ(action.recycles, 1);
  }
}

TEST(QueueActionThreads, WorkSeesWhatWasWrittenBeforeItsWaits) {
  for (int round = 0; round < 1000; ++round) {
    TestTimeline first;
    TestTimeline second;
    TestTimeline done;
    int one = 0;  // not atomic: only the semaphores order it
    int two = 0;
    int sum = 0;
    TestAction action;
    action.work = [&] { sum = one + two; };
    Submit(action, {first.At(1), second.At(1)}, {done.At(1)});
    std::thread a([&] {
      one = 1;
      first->Signal(1).Ignore();
    });
    std::thread b([&] {
      two = 2;
      second->Signal(1).Ignore();
    });
    EXPECT_EQ(done->Wait(1, HAL_TIMEOUT_INFINITE), kOk);
    EXPECT_EQ(sum, 3);
    a.join();
    b.join();
  }
}

}  // namespace
}  // namespace halyard
