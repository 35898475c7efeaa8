// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy on a model of a device: each node takes time to start, one at a time, and each chain runs one kernel at a
// time.
#include "stream/recording/graph_width.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stream/recording/graph_plan.h"

namespace halyard::stream {
namespace {

constexpr uint32_t kNodes = 1000;
constexpr uint32_t kCapacity = 2112;  // workgroups, as of 132 units

uint32_t Depth(uint32_t width) { return (kNodes + width - 1) / width; }

/// Microseconds that 1000 kernels of one workgroup take; roughly the two tables of
/// docs/performance/experiments/cuda.md.
double RunTime(uint32_t width, double kernel) {
  const double starts = 0.18 * kNodes;
  return std::max(starts, Depth(width) * (kernel + 1.2));
}

/// Lets the policy measure until it wants no more.
WidthPolicy Tuned(const GraphShape& shape, double kernel) {
  WidthPolicy policy(shape);
  int runs = 0;
  for (; policy.WantsTimes() && runs < 100; ++runs) {
    policy.AddTime(policy.width(), Depth(policy.width()), RunTime(policy.width(), kernel));
  }
  EXPECT_LT(runs, 10);
  return policy;
}

TEST(GraphWidthTest, ShortKernelsEndInFewChains) {
  const WidthPolicy policy = Tuned({kNodes, 1, kCapacity}, 0.1);
  EXPECT_EQ(policy.width(), WidthPolicy::kNarrow);
}

TEST(GraphWidthTest, LongKernelsEndInManyChains) {
  const WidthPolicy policy = Tuned({kNodes, 1, kCapacity}, 47);
  EXPECT_EQ(policy.width(), WidthPolicy::kWidest);
}

// Whatever the kernels take, no width of the choice would be much faster.
TEST(GraphWidthTest, NeverFarFromTheBest) {
  for (double kernel = 0.1; kernel < 1000; kernel *= 1.3) {
    const WidthPolicy policy = Tuned({kNodes, 1, kCapacity}, kernel);
    double best = RunTime(WidthPolicy::kNarrow, kernel);
    for (uint32_t width = 8; width <= WidthPolicy::kWidest; ++width) best = std::min(best, RunTime(width, kernel));
    EXPECT_LE(RunTime(policy.width(), kernel), 1.5 * best) << kernel << " us, " << policy.width() << " chains";
  }
}

TEST(GraphWidthTest, FirstRunIsFairToBoth) {
  const WidthPolicy policy({kNodes, 1, kCapacity});
  EXPECT_EQ(policy.width(), WidthPolicy::kWide);
  EXPECT_TRUE(policy.WantsTimes());
}

TEST(GraphWidthTest, NarrowGraphsAreNotMeasured) {
  EXPECT_FALSE(WidthPolicy({1, 1, kCapacity}).WantsTimes());
  EXPECT_FALSE(WidthPolicy({WidthPolicy::kNarrow, 1, kCapacity}).WantsTimes());
}

TEST(GraphWidthTest, DispatchesThatFillTheDeviceNeedFewChains) {
  const WidthPolicy policy({kNodes, 1e6, kCapacity});
  EXPECT_FALSE(policy.WantsTimes());
  EXPECT_EQ(policy.width(), WidthPolicy::kNarrow);
  EXPECT_LE(Tuned({kNodes, 64, kCapacity}, 100).width(), kCapacity / 64);
}

TEST(GraphWidthTest, OneSlowRunDecidesNothing) {
  WidthPolicy policy({kNodes, 1, kCapacity});
  policy.AddTime(policy.width(), Depth(policy.width()), 1e6);
  while (policy.WantsTimes()) {
    policy.AddTime(policy.width(), Depth(policy.width()), RunTime(policy.width(), 0.1));
  }
  EXPECT_EQ(policy.width(), WidthPolicy::kNarrow);
}

TEST(GraphWidthTest, TimesOfAFormerWidthDoNotCount) {
  WidthPolicy policy({kNodes, 1, kCapacity});
  for (int i = 0; i < 10; ++i) policy.AddTime(1, kNodes, 1);
  EXPECT_EQ(policy.width(), WidthPolicy::kWide);
  EXPECT_TRUE(policy.WantsTimes());
}

TEST(GraphWidthTest, NoMoreChainsThanTheApiRuns) {
  const WidthPolicy few({kNodes, 1, kCapacity, 4});
  EXPECT_EQ(few.width(), 4u);
  EXPECT_FALSE(few.WantsTimes());
  EXPECT_EQ(WidthPolicy({1, 1, kCapacity, 4}).width(), 4u);
  EXPECT_EQ(WidthPolicy({kNodes, 1, kCapacity, 32}).width(), 32u);
  EXPECT_LE(Tuned({kNodes, 1, kCapacity, 32}, 47).width(), 32u);
}

}  // namespace
}  // namespace halyard::stream
