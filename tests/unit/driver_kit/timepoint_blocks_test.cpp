// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "test_timeline.h"

namespace halyard {
namespace {

/// The blocks, and beside them what they should hold.
class TimepointBlocksTest : public ::testing::Test {
 protected:
  void Add(uint64_t value) {
    const TimepointKey key = {value, ++sequence_};
    blocks_.Add({key, {testing::Ignore, reinterpret_cast<void*>(sequence_)}});
    expected_.emplace(key, sequence_);
  }

  void Remove(TimepointKey key) {
    Timepoint removed{};
    const auto found = expected_.find(key);
    ASSERT_EQ(blocks_.Remove(key, &removed), found != expected_.end());
    if (found == expected_.end()) return;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(removed.user_data), found->second);
    expected_.erase(found);
    ExpectFirst();
  }

  void TakeFirst() {
    ExpectFirst();
    if (expected_.empty()) return;
    expected_.erase(expected_.begin());
    blocks_.DropFirst();
  }

  void ExpectFirst() {
    ASSERT_EQ(blocks_.empty(), expected_.empty());
    if (expected_.empty()) return;
    EXPECT_EQ(blocks_.first().key, expected_.begin()->first);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks_.first().timepoint.user_data), expected_.begin()->second);
  }

  void TakeAll() {
    while (!expected_.empty() && !HasFailure()) TakeFirst();
    EXPECT_TRUE(blocks_.empty());
    EXPECT_EQ(blocks_.block_count(), 0u);
  }

  TimepointBlocks blocks_;
  std::map<TimepointKey, uintptr_t> expected_;
  uint64_t sequence_ = 0;
};

TEST_F(TimepointBlocksTest, SortsFallingValues) {
  for (uint64_t value = 1000; value > 0; --value) Add(value);
  TakeAll();
}

TEST_F(TimepointBlocksTest, SortsRisingValues) {
  for (uint64_t value = 1; value <= 1000; ++value) Add(value);
  TakeAll();
}

TEST_F(TimepointBlocksTest, KeepsEqualValuesInOrderOfRegistration) {
  for (int i = 0; i < 1000; ++i) Add(static_cast<uint64_t>(i % 3));
  TakeAll();
}

TEST_F(TimepointBlocksTest, SortsValuesInRandomOrderInBlocksThatAreHalfFull) {
  std::vector<uint64_t> values(20'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i;
  std::mt19937_64 random(18);
  std::shuffle(values.begin(), values.end(), random);
  for (const uint64_t value : values) Add(value);
  EXPECT_LE(blocks_.block_count(), values.size() / (TimepointBlock::kCapacity / 2) + 1);
  TakeAll();
}

TEST_F(TimepointBlocksTest, JoinsBlocksThatRemovalsLeaveAlmostEmpty) {
  std::mt19937_64 random(19);
  for (int i = 0; i < 10'000; ++i) Add(random() % 1'000'000);
  size_t number = 0;
  for (auto it = expected_.begin(); it != expected_.end();) {
    const TimepointKey key = (it++)->first;
    if (++number % 100 != 0) Remove(key);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(expected_.size(), 100u);
  EXPECT_LE(blocks_.block_count(), 100 / (TimepointBlock::kCapacity / 4));
  TakeAll();
}

TEST_F(TimepointBlocksTest, RemovesNothingThatIsNotThere) {
  Remove({1, 1});
  Add(5);
  Remove({5, 7});
  Remove({4, 1});
  Remove({5, 1});
  Remove({5, 1});
  EXPECT_TRUE(blocks_.empty());
}

TEST_F(TimepointBlocksTest, AgreesWithAnOrderedMapOverRandomSteps) {
  std::mt19937_64 random(20261126);
  for (int step = 0; step < 100'000; ++step) {
    const bool grows = step / 10'000 % 2 == 0;
    const uint64_t choice = random() % 10;
    if (choice < (grows ? 7 : 3)) {
      Add(random() % 5000);
    } else if (choice < 8 && !expected_.empty()) {
      const auto near = expected_.lower_bound({random() % 5000, 0});
      Remove(near == expected_.end() ? expected_.begin()->first : near->first);
    } else {
      TakeFirst();
    }
    if (HasFatalFailure()) return;
  }
  TakeAll();
}

TEST_F(TimepointBlocksTest, GivesBackWhatItHolds) {
  TimepointBlocks abandoned;
  for (uint64_t i = 0; i < 1000; ++i) abandoned.Add({{1000 - i, i + 1}, {testing::Ignore, nullptr}});
  EXPECT_GT(abandoned.block_count(), 10u);  // the leak checker of the asan preset sees whether they are freed
}

}  // namespace
}  // namespace halyard
