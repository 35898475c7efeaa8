// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace halyard {
namespace {

constexpr Deadline kLongAgo{1};

TEST(HostEvent, IsClearAtFirst) {
  HostEvent event;
  EXPECT_FALSE(event.IsSet());
  EXPECT_FALSE(event.Wait(kLongAgo));
}

TEST(HostEvent, StaysSetUntilReset) {
  HostEvent event;
  event.Set();
  EXPECT_TRUE(event.IsSet());
  EXPECT_TRUE(event.Wait(kLongAgo)) << "a set event is seen even when the deadline has passed";
  EXPECT_TRUE(event.Wait({}));
  event.Reset();
  EXPECT_FALSE(event.IsSet());
  EXPECT_FALSE(event.Wait(kLongAgo));
}

TEST(HostEvent, WaitEndsAtItsDeadline) {
  HostEvent event;
  const uint64_t begin = MonotonicNanoseconds();
  EXPECT_FALSE(event.Wait(DeadlineAfter(2'000'000)));
  EXPECT_GE(MonotonicNanoseconds() - begin, 2'000'000u);
}

TEST(HostEvent, WaitAfterATimeoutStillWakes) {
  // The first wait leaves the word in the state "a thread waits", which is no longer true.
  HostEvent event;
  EXPECT_FALSE(event.Wait(DeadlineAfter(1'000)));
  std::thread setter([&] { event.Set(); });
  EXPECT_TRUE(event.Wait({}));
  setter.join();
}

TEST(HostEvent, WakesEveryWaiter) {
  HostEvent event;
  std::atomic<int> awake{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([&] {
      if (event.Wait({})) ++awake;
    });
  }
  event.Set();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(awake, 8);
}

TEST(HostEvent, OrdersWhatWasWrittenBeforeIt) {
  for (int round = 0; round < 2000; ++round) {
    HostEvent event;
    int data = 0;
    std::thread writer([&] {
      data = round;
      event.Set();
    });
    EXPECT_TRUE(event.Wait({}));
    EXPECT_EQ(data, round);
    writer.join();
  }
}

// The waiter's stack frame ends as soon as it wakes, while the other thread may still be inside Set().
TEST(HostEvent, WaiterMayDestroyItAtOnce) {
  constexpr int kRounds = 20'000;
  std::atomic<HostEvent*> offered{nullptr};
  std::thread setter([&] {
    for (int round = 0; round < kRounds; ++round) {
      HostEvent* event = nullptr;
      while (!(event = offered.exchange(nullptr))) std::this_thread::yield();
      event->Set();
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    HostEvent event;
    offered = &event;
    ASSERT_TRUE(event.Wait({}));
  }
  setter.join();
}

}  // namespace
}  // namespace halyard
