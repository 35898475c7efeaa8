// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timeline_semaphore.h"

#include <gmock/gmock.h>

#include <array>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "test_timeline.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Heard;
using testing::TestTimeline;

constexpr uint64_t kForever = HAL_TIMEOUT_INFINITE;

hal_string_view_t Text(const char* text) { return hal_string_view(text); }

TEST(TimelineSemaphore, StandsAtItsInitialValue) {
  TestTimeline timeline(7);
  EXPECT_EQ(timeline.value(), 7u);
  EXPECT_EQ(timeline->Wait(7, 0), kOk);
  EXPECT_EQ(Publish(timeline->Wait(8, 0)), HAL_STATUS_DEADLINE_EXCEEDED);
}

TEST(TimelineSemaphore, SignalMustExceedTheValue) {
  TestTimeline timeline(5);
  EXPECT_EQ(Publish(timeline->Signal(5)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(timeline->Signal(4)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("signalled with 4"));
  EXPECT_THAT(LastErrorMessage(), HasSubstr("stands at 5"));
  EXPECT_EQ(timeline.value(), 5u);
  EXPECT_EQ(timeline->Signal(UINT64_MAX - 1), kOk) << "a signal may skip values";
  EXPECT_EQ(timeline.value(), UINT64_MAX - 1);
}

TEST(TimelineSemaphore, WaitRunsOut) {
  TestTimeline timeline;
  EXPECT_EQ(Publish(timeline->Wait(1, 1'000'000)), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(timeline->Signal(1), kOk) << "the wait that ran out has left nothing behind";
  EXPECT_EQ(timeline->Wait(1, kForever), kOk);
}

TEST(TimelineSemaphore, WaitWakesForAnyValueAtOrAboveItsOwn) {
  TestTimeline timeline;
  std::vector<std::thread> waiters;
  for (uint64_t value = 1; value <= 6; ++value) {
    waiters.emplace_back([&timeline, value] { EXPECT_EQ(timeline->Wait(value, kForever), kOk); });
  }
  EXPECT_EQ(timeline->Signal(4), kOk);
  EXPECT_EQ(timeline->Signal(9), kOk);
  for (std::thread& waiter : waiters) waiter.join();
}

TEST(TimelineSemaphore, NotifyOfAReachedValueCallsAtOnce) {
  TestTimeline timeline(3);
  Heard heard;
  hal_timepoint_t timepoint{99, 99};
  EXPECT_EQ(timeline->Notify(3, Heard::Callback, &heard, &timepoint), kOk);
  EXPECT_EQ(heard.calls, 1);
  EXPECT_EQ(heard.status, HAL_STATUS_OK);
  EXPECT_EQ(timepoint.sequence, 0u) << "there is nothing to cancel";
}

struct Noted {
  std::vector<int>* order;
  int name;
  static void Callback(void* user_data, hal_status_t, hal_string_view_t) {
    const auto* const noted = static_cast<Noted*>(user_data);
    noted->order->push_back(noted->name);
  }
};

TEST(TimelineSemaphore, CallbacksComeInTimelineOrderThenInOrderOfRegistration) {
  TestTimeline timeline;
  std::vector<int> order;
  std::array<Noted, 5> noted = {{{&order, 0}, {&order, 1}, {&order, 2}, {&order, 3}, {&order, 4}}};
  const std::array<uint64_t, 5> values = {3, 1, 2, 1, 3};
  for (size_t i = 0; i < noted.size(); ++i) {
    ASSERT_EQ(timeline->Notify(values[i], Noted::Callback, &noted[i], nullptr), kOk);
  }
  EXPECT_EQ(timeline->Signal(2), kOk);
  EXPECT_THAT(order, ElementsAre(1, 3, 2)) << "3 is not reached";
  EXPECT_EQ(timeline->Signal(3), kOk);
  EXPECT_THAT(order, ElementsAre(1, 3, 2, 0, 4));
}

TEST(TimelineSemaphore, OneSignalCallsAnyNumber) {
  constexpr int kCount = 1000;  // many times what is called in one go
  TestTimeline timeline;
  std::vector<int> order;
  std::deque<Noted> noted;
  for (int i = 0; i < kCount; ++i) {
    noted.push_back({&order, i});
    ASSERT_EQ(timeline->Notify(static_cast<uint64_t>(i + 1), Noted::Callback, &noted.back(), nullptr), kOk);
  }
  EXPECT_EQ(timeline->Signal(kCount), kOk);
  ASSERT_EQ(order.size(), static_cast<size_t>(kCount));
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(TimelineSemaphore, FailureReachesEveryCallerWithItsMessage) {
  TestTimeline timeline;
  Heard before;
  ASSERT_EQ(timeline->Notify(5, Heard::Callback, &before, nullptr), kOk);
  std::thread waiter([&] {
    EXPECT_EQ(Publish(timeline->Wait(9, kForever)), HAL_STATUS_ABORTED);
    EXPECT_EQ(LastErrorMessage(), "it broke");
  });
  EXPECT_EQ(timeline->FailTimeline(HAL_STATUS_ABORTED, Text("it broke")), kOk);
  waiter.join();
  EXPECT_EQ(before.calls, 1);
  EXPECT_EQ(before.status, HAL_STATUS_ABORTED);
  EXPECT_EQ(before.message, "it broke");

  Heard after;
  EXPECT_EQ(timeline->Notify(5, Heard::Callback, &after, nullptr), kOk);
  EXPECT_EQ(after.status, HAL_STATUS_ABORTED);
  EXPECT_EQ(Publish(timeline->Signal(1)), HAL_STATUS_ABORTED);
  EXPECT_EQ(LastErrorMessage(), "it broke");
  uint64_t value = 42;
  EXPECT_EQ(Publish(timeline->Query(&value)), HAL_STATUS_ABORTED);
  EXPECT_EQ(value, 0u);
}

TEST(TimelineSemaphore, TheFirstFailureStays) {
  TestTimeline timeline;
  EXPECT_EQ(timeline->FailTimeline(HAL_STATUS_ABORTED, Text("first")), kOk);
  EXPECT_EQ(timeline->FailTimeline(HAL_STATUS_DEVICE_LOST, Text("second")), kOk);
  EXPECT_EQ(Publish(timeline->Wait(1, 0)), HAL_STATUS_ABORTED);
  EXPECT_EQ(LastErrorMessage(), "first");
}

TEST(TimelineSemaphore, WhatWasReachedStaysReached) {
  TestTimeline timeline;
  ASSERT_EQ(timeline->Signal(4), kOk);
  ASSERT_EQ(timeline->FailTimeline(HAL_STATUS_ABORTED, Text("too late")), kOk);
  EXPECT_EQ(timeline->Wait(4, kForever), kOk);
  EXPECT_EQ(Publish(timeline->Wait(5, kForever)), HAL_STATUS_ABORTED);
  Heard heard;
  EXPECT_EQ(timeline->Notify(4, Heard::Callback, &heard, nullptr), kOk);
  EXPECT_EQ(heard.status, HAL_STATUS_OK);
}

TEST(TimelineSemaphore, CancelCallsBackOnce) {
  TestTimeline timeline;
  Heard heard;
  hal_timepoint_t timepoint{};
  ASSERT_EQ(timeline->Notify(1, Heard::Callback, &heard, &timepoint), kOk);
  EXPECT_EQ(timeline->Cancel(timepoint), kOk);
  EXPECT_EQ(heard.calls, 1);
  EXPECT_EQ(heard.status, HAL_STATUS_CANCELLED);
  EXPECT_EQ(Publish(timeline->Cancel(timepoint)), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(timeline->Signal(1), kOk);
  EXPECT_EQ(heard.calls, 1);
}

TEST(TimelineSemaphore, CancelFindsItsOwnRegistrationOnly) {
  TestTimeline timeline;
  std::array<Heard, 3> heard;
  std::array<hal_timepoint_t, 3> timepoints;
  for (size_t i = 0; i < heard.size(); ++i) {
    ASSERT_EQ(timeline->Notify(1, Heard::Callback, &heard[i], &timepoints[i]), kOk);
  }
  EXPECT_EQ(timeline->Cancel(timepoints[1]), kOk);
  EXPECT_EQ(timeline->Signal(1), kOk);
  EXPECT_EQ(heard[0].status, HAL_STATUS_OK);
  EXPECT_EQ(heard[1].status, HAL_STATUS_CANCELLED);
  EXPECT_EQ(heard[2].status, HAL_STATUS_OK);
  EXPECT_EQ(Publish(timeline->Cancel(timepoints[0])), HAL_STATUS_NOT_FOUND);
}

TEST(TimelineSemaphore, DestructionCancelsWhatIsPending) {
  TestTimeline timeline;
  std::array<Heard, 100> heard;
  for (Heard& one : heard) ASSERT_EQ(timeline->Notify(1, Heard::Callback, &one, nullptr), kOk);
  timeline.Release();
  for (const Heard& one : heard) {
    EXPECT_EQ(one.calls, 1);
    EXPECT_EQ(one.status, HAL_STATUS_CANCELLED);
  }
}

struct Relay {
  TestTimeline* next;
  uint64_t value;
  static void Callback(void* user_data, hal_status_t, hal_string_view_t) {
    const auto* const relay = static_cast<Relay*>(user_data);
    EXPECT_EQ((*relay->next)->Signal(relay->value), kOk);
  }
};

TEST(TimelineSemaphore, CallbacksMaySignalTheSameAndOtherTimelines) {
  TestTimeline first;
  TestTimeline second;
  Relay to_second{&second, 1};
  Relay to_first{&first, 2};
  Heard heard;
  ASSERT_EQ(first->Notify(1, Relay::Callback, &to_second, nullptr), kOk);
  ASSERT_EQ(second->Notify(1, Relay::Callback, &to_first, nullptr), kOk);
  ASSERT_EQ(first->Notify(2, Heard::Callback, &heard, nullptr), kOk);
  EXPECT_EQ(first->Signal(1), kOk);
  EXPECT_EQ(heard.calls, 1);
  EXPECT_EQ(first.value(), 2u);
}

// A failure comes while a signal that has moved the value is still calling back, many callbacks later.
TEST(TimelineSemaphore, FailureDuringASignalFailsOnlyWhatIsNotReached) {
  TestTimeline timeline;
  std::array<Heard, 200> heard;
  const auto fail = [](void* user_data, hal_status_t, hal_string_view_t) {
    (*static_cast<TestTimeline*>(user_data))->FailTimeline(HAL_STATUS_ABORTED, Text("it broke")).Ignore();
  };
  ASSERT_EQ(timeline->Notify(1, fail, &timeline, nullptr), kOk);
  for (size_t i = 0; i < heard.size(); ++i) {
    ASSERT_EQ(timeline->Notify(i + 1, Heard::Callback, &heard[i], nullptr), kOk);
  }
  EXPECT_EQ(timeline->Signal(100), kOk);
  for (size_t i = 0; i < heard.size(); ++i) {
    ASSERT_EQ(heard[i].calls, 1);
    ASSERT_EQ(heard[i].status, i < 100 ? HAL_STATUS_OK : HAL_STATUS_ABORTED) << "value " << i + 1;
  }
}

// --- With threads ----------------------------------------------------------------------------------------------------

TEST(TimelineSemaphore, SignalsRaceWithCancelsAndEachCallbackComesOnce) {
  constexpr uint64_t kCount = 20'000;
  TestTimeline timeline;
  std::deque<Heard> heard(kCount);
  std::vector<hal_timepoint_t> timepoints(kCount);
  for (uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(timeline->Notify(i + 1, Heard::Callback, &heard[i], &timepoints[i]), kOk);
  }
  std::atomic<uint64_t> cancelled{0};
  const auto cancel_every_second = [&](uint64_t first) {
    for (uint64_t i = first; i < kCount; i += 2) {
      if (Succeeds(timeline->Cancel(timepoints[i]))) ++cancelled;
    }
  };
  std::thread even(cancel_every_second, 0);
  std::thread odd(cancel_every_second, 1);
  for (uint64_t value = 7; value < kCount; value += 7) EXPECT_EQ(timeline->Signal(value), kOk);
  EXPECT_EQ(timeline->Signal(kCount), kOk);
  even.join();
  odd.join();
  uint64_t told = 0;
  for (const Heard& one : heard) {
    EXPECT_EQ(one.calls, 1);
    if (one.status == HAL_STATUS_CANCELLED) ++told;
  }
  EXPECT_EQ(told, cancelled);
}

// A signal has moved the value but not called back yet when the failure comes.
TEST(TimelineSemaphore, FailureThatRacesWithASignalFailsOnlyWhatIsNotReached) {
  for (int round = 0; round < 500; ++round) {
    TestTimeline timeline;
    std::array<Heard, 80> heard;
    for (size_t i = 0; i < heard.size(); ++i) {
      ASSERT_EQ(timeline->Notify(i + 1, Heard::Callback, &heard[i], nullptr), kOk);
    }
    std::thread failing([&] { timeline->FailTimeline(HAL_STATUS_ABORTED, Text("it broke")).Ignore(); });
    timeline->Signal(40).Ignore();
    failing.join();
    const uint64_t reached = timeline.value();
    for (size_t i = 0; i < heard.size(); ++i) {
      ASSERT_EQ(heard[i].calls, 1);
      ASSERT_EQ(heard[i].status, i < reached ? HAL_STATUS_OK : HAL_STATUS_ABORTED) << "value " << i + 1;
    }
  }
}

TEST(TimelineSemaphore, ManyThreadsFollowOneTimeline) {
  constexpr uint64_t kLast = 3000;
  TestTimeline timeline;
  std::vector<std::thread> followers;
  for (uint64_t step = 1; step <= 4; ++step) {
    followers.emplace_back([&timeline, step] {
      for (uint64_t value = step; value <= kLast; value += step) ASSERT_EQ(timeline->Wait(value, kForever), kOk);
    });
  }
  for (uint64_t value = 1; value <= kLast; ++value) ASSERT_EQ(timeline->Signal(value), kOk);
  for (std::thread& follower : followers) follower.join();
}

TEST(TimelineSemaphore, WaitsThatRunOutRaceWithTheSignal) {
  for (int round = 0; round < 500; ++round) {
    TestTimeline timeline;
    std::thread signaller([&] { EXPECT_EQ(timeline->Signal(1), kOk); });
    const Failure failure(timeline->Wait(1, static_cast<uint64_t>(round) * 200));
    EXPECT_TRUE(!failure || failure.code() == HAL_STATUS_DEADLINE_EXCEEDED);
    signaller.join();
    EXPECT_EQ(timeline->Wait(1, 0), kOk);
  }
}

TEST(TimelineSemaphore, PingPongBetweenThreads) {
  constexpr uint64_t kRounds = 2000;
  TestTimeline ping;
  TestTimeline pong;
  std::thread other([&] {
    for (uint64_t i = 1; i <= kRounds; ++i) {
      ASSERT_EQ(ping->Wait(i, kForever), kOk);
      ASSERT_EQ(pong->Signal(i), kOk);
    }
  });
  for (uint64_t i = 1; i <= kRounds; ++i) {
    ASSERT_EQ(ping->Signal(i), kOk);
    ASSERT_EQ(pong->Wait(i, kForever), kOk);
  }
  other.join();
}

// A thread that the last signal wakes may release the semaphore while the signaller is still inside Signal().
TEST(TimelineSemaphore, WaiterMayGiveUpItsReferenceAtOnce) {
  for (int round = 0; round < 2000; ++round) {
    TestTimeline timeline;
    auto signalling = Ref<hal_semaphore_t>::Retaining(timeline.get());
    std::thread signaller(
        [held = std::move(signalling)] { EXPECT_EQ(static_cast<TimelineSemaphore*>(held.get())->Signal(1), kOk); });
    EXPECT_EQ(timeline->Wait(1, kForever), kOk);
    timeline.Release();
    signaller.join();
  }
}

}  // namespace
}  // namespace halyard
