// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/pending_signals.h"

#include <gtest/gtest.h>

namespace halyard::stream {
namespace {

TEST(PendingSignalsTest, FindsTheFirstThatReachesAValue) {
  PendingSignals signals;
  signals.Add({5, 0, 1});
  signals.Add({9, 1, 1});
  signals.Add({7, 2, 1});
  ASSERT_NE(signals.Find(6), nullptr);
  EXPECT_EQ(signals.Find(6)->value, 7u);
  EXPECT_EQ(signals.Find(6)->queue, 2u);
  EXPECT_EQ(signals.Find(9)->queue, 1u);
  EXPECT_EQ(signals.Find(1)->value, 5u);
  EXPECT_EQ(signals.Find(10), nullptr);
}

TEST(PendingSignalsTest, DropsWhatIsReached) {
  PendingSignals signals;
  for (uint64_t value = 1; value <= 10; ++value) signals.Add({value, 0, value});
  signals.DropUpTo(4);
  EXPECT_EQ(signals.front().value, 5u);
  EXPECT_EQ(signals.Find(1)->value, 5u);
  signals.DropUpTo(UINT64_MAX);
  EXPECT_TRUE(signals.empty());
}

TEST(PendingSignalsTest, StaysSortedThroughManyTurns) {
  PendingSignals signals;
  for (uint64_t value = 1; value <= 10'000; ++value) {
    signals.Add({value, 0, value});
    if (value > 16) signals.DropUpTo(value - 16);
    ASSERT_EQ(signals.Find(0)->value, value > 16 ? value - 15 : 1);
  }
}

}  // namespace
}  // namespace halyard::stream
