// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "metal/recording/metal_encoder_plan.h"

namespace halyard::metal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;

constexpr PassKind kCompute = PassKind::kCompute;
constexpr PassKind kBlit = PassKind::kBlit;

auto Pass(PassKind kind, uint32_t steps, uint32_t waits) {
  return AllOf(Field("kind", &PlanPass::kind, kind), Field("step_count", &PlanPass::step_count, steps),
               Field("wait_count", &PlanPass::wait_count, waits));
}
auto Step(uint32_t node, bool barrier = false) {
  return AllOf(Field("node", &PlanStep::node, node), Field("barrier", &PlanStep::barrier, barrier));
}

EncoderPlan Plan(const std::vector<PlanNode>& nodes, bool serial = false) { return PlanEncoders(nodes, serial); }

ptrdiff_t CountBarriers(const EncoderPlan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) { return step.barrier; });
}

TEST(EncoderPlanTest, OfNothingIsEmpty) {
  const EncoderPlan plan = Plan({});
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_TRUE(plan.passes.empty());
  EXPECT_TRUE(plan.waits.empty());
}

TEST(EncoderPlanTest, ABarrierStandsBetweenOrderedDispatches) {
  const EncoderPlan plan = Plan({{kCompute, 0}, {kCompute, 0}, {kCompute, 2}, {kCompute, 2}, {kCompute, 3}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kCompute, 5, 0)));
  EXPECT_THAT(plan.steps, ElementsAre(Step(0), Step(1), Step(2, true), Step(3), Step(4, true)));
}

TEST(EncoderPlanTest, ABarrierThatStandsAlreadyServesLaterNodes) {
  const EncoderPlan plan = Plan({{kCompute, 0}, {kCompute, 1}, {kCompute, 1}});
  EXPECT_THAT(plan.steps, ElementsAre(Step(0), Step(1, true), Step(2)));
}

TEST(EncoderPlanTest, ASerialPassNeedsNoBarriers) {
  const EncoderPlan plan = Plan({{kCompute, 0}, {kCompute, 1}, {kCompute, 2}}, /*serial=*/true);
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kCompute, 3, 0)));
  EXPECT_EQ(CountBarriers(plan), 0);
}

TEST(EncoderPlanTest, UnorderedNodesOfBothKindsAreTwoPasses) {
  const EncoderPlan plan = Plan({{kBlit, 0}, {kCompute, 0}, {kBlit, 0}, {kCompute, 0}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kBlit, 2, 0), Pass(kCompute, 2, 0)));
  EXPECT_THAT(plan.steps, ElementsAre(Step(0), Step(2), Step(1), Step(3)));
  EXPECT_FALSE(plan.passes[0].signals);
}

TEST(EncoderPlanTest, OrderedBlitsAreTwoPasses) {
  const EncoderPlan plan = Plan({{kBlit, 0}, {kBlit, 1}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kBlit, 1, 0), Pass(kBlit, 1, 1)));
  EXPECT_TRUE(plan.passes[0].signals);
  EXPECT_FALSE(plan.passes[1].signals);
  EXPECT_THAT(plan.waits, ElementsAre(0u));
}

TEST(EncoderPlanTest, ADispatchThatNeedsNoBlitStaysInItsPass) {
  const EncoderPlan plan = Plan({{kCompute, 0}, {kBlit, 0}, {kCompute, 1}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kCompute, 2, 0), Pass(kBlit, 1, 0)));
}

TEST(EncoderPlanTest, ADispatchBehindABlitWaitsForItsPass) {
  const EncoderPlan plan = Plan({{kBlit, 0}, {kCompute, 1}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kBlit, 1, 0), Pass(kCompute, 1, 1)));
}

TEST(EncoderPlanTest, WaitsLeaveOutWhatAnotherWaitHasWaitedFor) {
  const EncoderPlan plan = Plan({{kBlit, 0}, {kBlit, 1}, {kBlit, 2}, {kBlit, 3}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kBlit, 1, 0), Pass(kBlit, 1, 1), Pass(kBlit, 1, 1), Pass(kBlit, 1, 1)));
  EXPECT_THAT(plan.waits, ElementsAre(0u, 1u, 2u));
}

TEST(EncoderPlanTest, ANodeBehindBothKindsWaitsForTwoPasses) {
  const EncoderPlan plan = Plan({{kBlit, 0}, {kCompute, 0}, {kBlit, 2}});
  EXPECT_THAT(plan.passes, ElementsAre(Pass(kBlit, 1, 0), Pass(kCompute, 1, 0), Pass(kBlit, 1, 2)));
}

TEST(EncoderPlanTest, AThousandSmallFillsAndDispatchesInOrderAreOneEncoder) {
  std::vector<PlanNode> nodes;  // a small fill runs as a kernel
  for (uint32_t i = 0; i < 2'000; ++i) nodes.push_back({kCompute, i});
  const EncoderPlan plan = Plan(nodes);
  EXPECT_EQ(plan.passes.size(), 1u);
  EXPECT_EQ(CountBarriers(plan), 1'999);
}

TEST(EncoderPlanTest, AThousandLargeCopiesAndDispatchesWithoutOrderAreTwoEncoders) {
  std::vector<PlanNode> nodes;
  for (uint32_t i = 0; i < 2'000; ++i) nodes.push_back({i % 2 == 0 ? kBlit : kCompute, 0});
  const EncoderPlan plan = Plan(nodes);
  EXPECT_EQ(plan.passes.size(), 2u);
  EXPECT_EQ(CountBarriers(plan), 0);
  EXPECT_TRUE(plan.waits.empty());
}

/// Says what is wrong with a plan. It knows what encoders, barriers and fences do, and not how plans are made.
class PlanChecker {
 public:
  PlanChecker(const std::vector<PlanNode>& nodes, const EncoderPlan& plan, bool serial)
      : nodes_(nodes), plan_(plan), serial_(serial) {}

  /// Empty if nothing is.
  std::string Check() {
    if (!Place()) return "not every node is in one step of a pass of its kind";
    if (!FollowWaits()) return "a pass waits for itself or a later one, or a pass that signals says it does not";
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      for (uint32_t before = 0; before < nodes_[i].after; ++before) {
        if (!IsOrdered(before, i))
          return "node " + std::to_string(i) + " does not come after " + std::to_string(before);
      }
    }
    return IsReduced() ? "" : "a pass waits for what another of its waits has waited for";
  }

 private:
  struct Location {
    size_t pass = SIZE_MAX;
    size_t step = 0;
    size_t barriers = 0;  // in the pass, up to it
  };

  bool Place() {
    locations_.assign(nodes_.size(), {});
    size_t next = 0;
    for (size_t number = 0; number < plan_.passes.size(); ++number) {
      const PlanPass& pass = plan_.passes[number];
      if (pass.first_step != next || pass.step_count == 0) return false;
      next += pass.step_count;
      if (next > plan_.steps.size() || !PlaceSteps(number)) return false;
    }
    return next == plan_.steps.size() && next == nodes_.size();
  }

  bool PlaceSteps(size_t number) {
    const PlanPass& pass = plan_.passes[number];
    size_t barriers = 0;
    for (size_t i = pass.first_step; i < pass.first_step + pass.step_count; ++i) {
      const PlanStep& step = plan_.steps[i];
      if (step.node >= nodes_.size() || nodes_[step.node].kind != pass.kind) return false;
      if (step.barrier && (serial_ || pass.kind == kBlit || i == pass.first_step)) return false;
      Location& location = locations_[step.node];
      if (location.pass != SIZE_MAX) return false;
      location = {number, i, barriers += step.barrier};
    }
    return true;
  }

  bool FollowWaits() {
    std::vector<bool> waited_for(plan_.passes.size());
    reached_.clear();
    for (size_t number = 0; number < plan_.passes.size(); ++number) {
      std::vector<bool>& reached = reached_.emplace_back(plan_.passes.size());
      for (const uint32_t other : WaitsOf(number)) {
        if (other >= number) return false;
        waited_for[other] = reached[other] = true;
        for (size_t i = 0; i < other; ++i) reached[i] = reached[i] || reached_[other][i];
      }
    }
    for (size_t i = 0; i < waited_for.size(); ++i) {
      if (waited_for[i] != plan_.passes[i].signals) return false;
    }
    return true;
  }

  std::vector<uint32_t> WaitsOf(size_t pass) const {
    const auto first = plan_.waits.begin() + plan_.passes[pass].first_wait;
    return {first, first + plan_.passes[pass].wait_count};
  }

  bool IsOrdered(uint32_t before, uint32_t after) const {
    const Location& first = locations_[before];
    const Location& second = locations_[after];
    if (first.pass != second.pass) return reached_[second.pass][first.pass];
    if (plan_.passes[first.pass].kind == kBlit) return false;
    return serial_ ? first.step < second.step : first.barriers < second.barriers;
  }

  bool IsReduced() const {
    for (size_t number = 0; number < plan_.passes.size(); ++number) {
      const std::vector<uint32_t> waits = WaitsOf(number);
      for (const uint32_t one : waits) {
        const auto reaches = [&](uint32_t other) { return reached_[other][one]; };
        if (std::any_of(waits.begin(), waits.end(), reaches)) return false;
        if (std::count(waits.begin(), waits.end(), one) != 1) return false;
      }
    }
    return true;
  }

  const std::vector<PlanNode>& nodes_;
  const EncoderPlan& plan_;
  const bool serial_;
  std::vector<Location> locations_;         // [node]
  std::vector<std::vector<bool>> reached_;  // [pass][pass]: the first comes after the second
};

/// Nodes whose order rises at random: seldom, often or with each node, to the last node or a part of the way.
std::vector<PlanNode> RandomNodes(std::mt19937& random) {
  const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
  const uint32_t count = 1 + below(40);
  const uint32_t blits = 1 + below(4);   // one in so many
  const uint32_t orders = 1 + below(8);  // one in so many
  std::vector<PlanNode> nodes;
  uint32_t after = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (below(orders) == 0) after += below(i - after + 1);
    if (below(orders * 2) == 0) after = i;
    nodes.push_back({below(blits) == 0 ? kBlit : kCompute, after});
  }
  return nodes;
}

std::string Describe(const std::vector<PlanNode>& nodes) {
  std::string text;
  for (const PlanNode& node : nodes) text += (node.kind == kBlit ? " B" : " C") + std::to_string(node.after);
  return text;
}

class RandomPlanTest : public testing::TestWithParam<bool> {};

TEST_P(RandomPlanTest, OrdersWhatMustBeOrderedOnce) {
  std::mt19937 random(20261123);
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<PlanNode> nodes = RandomNodes(random);
    const EncoderPlan plan = Plan(nodes, GetParam());
    ASSERT_EQ(PlanChecker(nodes, plan, GetParam()).Check(), "") << Describe(nodes);
  }
}

INSTANTIATE_TEST_SUITE_P(Dispatch, RandomPlanTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "serial" : "concurrent"; });

// The checker must be able to see what the test above says is not there.
TEST(PlanCheckerTest, SeesDefects) {
  const std::vector<PlanNode> nodes = {{kBlit, 0}, {kCompute, 1}, {kCompute, 2}, {kBlit, 3}, {kCompute, 4}};
  const EncoderPlan good = Plan(nodes);
  ASSERT_EQ(PlanChecker(nodes, good, false).Check(), "");
  EncoderPlan bad = good;
  bad.steps[2].barrier = false;
  EXPECT_NE(PlanChecker(nodes, bad, false).Check(), "");
  bad = good;
  bad.passes.back().wait_count = 0;
  EXPECT_NE(PlanChecker(nodes, bad, false).Check(), "");
  bad = good;
  bad.waits[0] = 3;
  EXPECT_NE(PlanChecker(nodes, bad, false).Check(), "");
  bad = good;
  bad.passes.back().first_wait = static_cast<uint32_t>(bad.waits.size());
  bad.passes.back().wait_count = 2;
  bad.waits.insert(bad.waits.end(), {2, 1});
  EXPECT_NE(PlanChecker(nodes, bad, false).Check(), "");
}

}  // namespace
}  // namespace halyard::metal
