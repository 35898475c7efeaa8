// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "cts/runner/patience.h"

namespace halyard::cts {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(SuitePatience, FollowsWhatOneOpeningTakes) {
  for (const nanoseconds opening :
       {nanoseconds(0), nanoseconds(200'000), nanoseconds(seconds(4)), nanoseconds(seconds(60))}) {
    const nanoseconds patience = Patience(seconds(10), opening);
    EXPECT_GE(patience, kOpeningsInTurn * opening + seconds(30));
    EXPECT_GE(patience, kOpeningThreads * kOpeningsOfAThread * opening + seconds(30));
    EXPECT_LE(patience, 100 * opening + seconds(30));  // a hang is still found
  }
}

TEST(SuitePatience, OutlivesSeveralWaits) {
  EXPECT_GE(Patience(seconds(30), nanoseconds(0)), seconds(90));
  EXPECT_GE(Patience(nanoseconds(1), nanoseconds(0)), seconds(30));
}

}  // namespace
}  // namespace halyard::cts
