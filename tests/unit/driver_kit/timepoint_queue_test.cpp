// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <map>
#include <random>

#include "test_timeline.h"

namespace halyard {
namespace {

Timepoint MakeTimepoint(uintptr_t id) { return {testing::Ignore, reinterpret_cast<void*>(id)}; }

uintptr_t IdOf(const Timepoint& timepoint) { return reinterpret_cast<uintptr_t>(timepoint.user_data); }

/// The queue, and beside it what it should hold.
class TimepointQueueTest : public ::testing::Test {
 protected:
  void Add(uint64_t value) {
    const TimepointKey key = {value, ++sequence_};
    queue_.Add(key, MakeTimepoint(sequence_));
    expected_.emplace(key, sequence_);
  }

  void Remove(TimepointKey key) {
    Timepoint removed{};
    const auto found = expected_.find(key);
    ASSERT_EQ(queue_.Remove(key, &removed), found != expected_.end());
    if (found == expected_.end()) return;
    EXPECT_EQ(IdOf(removed), found->second);
    expected_.erase(found);
  }

  void TakeAll(uint64_t value) {
    std::array<TimepointEntry, 7> taken;
    for (size_t count = taken.size(); count == taken.size();) {
      EXPECT_EQ(queue_.HasDue(value), !expected_.empty() && expected_.begin()->first.value <= value);
      count = queue_.TakeDue(value, taken);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_FALSE(expected_.empty());
        EXPECT_EQ(taken[i].key, expected_.begin()->first);
        EXPECT_EQ(IdOf(taken[i].timepoint), expected_.begin()->second);
        expected_.erase(expected_.begin());
      }
    }
    EXPECT_FALSE(queue_.HasDue(value));
    EXPECT_TRUE(expected_.empty() || expected_.begin()->first.value > value);
  }

  TimepointQueue queue_;
  std::map<TimepointKey, uintptr_t> expected_;
  uint64_t sequence_ = 0;
};

TEST_F(TimepointQueueTest, HoldsNothingAtFirst) {
  EXPECT_FALSE(queue_.HasDue(UINT64_MAX));
  TakeAll(UINT64_MAX);
  Remove({1, 1});
}

TEST_F(TimepointQueueTest, TakesRisingValuesInOrderAcrossTheEndOfTheRing) {
  for (uint64_t round = 0; round < 100; ++round) {
    for (uint64_t i = 1; i <= 5; ++i) Add(round * 3 + i);
    TakeAll(round * 3 + 3);
  }
  TakeAll(UINT64_MAX);
}

TEST_F(TimepointQueueTest, KeepsEqualValuesInOrderOfRegistration) {
  for (int i = 0; i < 20; ++i) Add(5);
  Add(4);
  for (int i = 0; i < 20; ++i) Add(5);
  TakeAll(5);
}

TEST_F(TimepointQueueTest, MixesRisingAndFallingValues) {
  for (const uint64_t value : {10, 20, 5, 30, 15, 25, 1, 40, 35}) Add(value);
  TakeAll(9);
  TakeAll(26);
  TakeAll(40);
}

TEST_F(TimepointQueueTest, RemovesFromTheFrontTheMiddleAndTheBack) {
  for (uint64_t value = 1; value <= 9; ++value) Add(value);
  for (const uint64_t value : {5, 4, 1, 9, 2, 6}) Remove({value, value});
  Remove({5, 5});  // a second time
  TakeAll(UINT64_MAX);
}

// Waits that time out one after the other, each while the next has begun, never leave the ring empty.
TEST_F(TimepointQueueTest, OverlappingRemovalsKeepTheRingSmall) {
  Add(1);  // stays in front
  for (uint64_t i = 0; i < 100'000; ++i) {
    Add(2 + i);
    if (i > 0) Remove({1 + i, sequence_ - 1});
  }
  EXPECT_EQ(expected_.size(), 2u);
  EXPECT_LE(queue_.ring_capacity(), 16u);
  TakeAll(UINT64_MAX);
}

TEST_F(TimepointQueueTest, AgreesWithAnOrderedMapOverRandomSteps) {
  std::mt19937_64 random(20261121);
  uint64_t reached = 0;
  for (int step = 0; step < 50'000; ++step) {
    const uint64_t choice = random() % 10;
    if (choice < 6) {
      Add(reached + 1 + random() % 40);
    } else if (choice < 9) {
      if (expected_.empty()) continue;
      const auto victim = std::next(expected_.begin(), static_cast<std::ptrdiff_t>(random() % expected_.size()));
      Remove(victim->first);
    } else {
      TakeAll(reached += random() % 12);
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace halyard
