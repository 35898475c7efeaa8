// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From order to edges: chains, joins, and nothing lost.
#include "stream/recording/graph_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace halyard::stream {
namespace {

using Numbers = std::vector<uint32_t>;

/// For each node the nodes that run before it, as the edges of a plan have it.
std::vector<std::vector<bool>> Ancestors(const GraphPlan& plan, size_t nodes) {
  std::vector<std::vector<bool>> of_vertex;
  std::vector<std::vector<bool>> of_node(nodes);
  for (const GraphVertex& vertex : plan.vertices) {
    std::vector<bool> ancestors(nodes);
    for (uint32_t before : plan.Before(vertex)) {
      if (before >= of_vertex.size()) {
        ADD_FAILURE() << "an edge from a later vertex";
        continue;
      }
      for (size_t i = 0; i < nodes; ++i) ancestors[i] = ancestors[i] || of_vertex[before][i];
      const uint32_t node = plan.vertices[before].node;
      if (node != GraphVertex::kJoin) ancestors[node] = true;
    }
    if (vertex.node != GraphVertex::kJoin) of_node[vertex.node] = ancestors;
    of_vertex.push_back(std::move(ancestors));
  }
  return of_node;
}

size_t Joins(const GraphPlan& plan) {
  return static_cast<size_t>(std::count_if(plan.vertices.begin(), plan.vertices.end(), [](const GraphVertex& vertex) {
    return vertex.node == GraphVertex::kJoin;
  }));
}

using Random = std::mt19937;
/// From 0 to `end` - 1.
uint32_t Below(Random& random, uint32_t end) { return static_cast<uint32_t>(random() % end); }

/// The steps of a command buffer with barriers and events.
Numbers RandomOrder(Random& random) {
  Numbers after(1 + Below(random, 60));
  uint32_t last = 0;
  const uint32_t step = 1 + Below(random, 9);
  for (uint32_t i = 0; i < after.size(); ++i) {
    if (Below(random, step) == 0) last += Below(random, i - last + 1);
    after[i] = last;
  }
  return after;
}

TEST(GraphPlanTest, NothingIsNothing) {
  const GraphPlan plan = PlanGraph({}, 8);
  EXPECT_TRUE(plan.vertices.empty());
  EXPECT_EQ(plan.depth, 0u);
  EXPECT_EQ(WidestPart({}), 0u);
}

TEST(GraphPlanTest, BarriersEverywhereMakeOneChain) {
  Numbers after(1000);
  for (uint32_t i = 0; i < after.size(); ++i) after[i] = i;
  const GraphPlan plan = PlanGraph(after, 8);
  EXPECT_EQ(plan.vertices.size(), 1000u);
  EXPECT_EQ(plan.edges.size(), 999u);
  EXPECT_EQ(plan.depth, 1000u);
  EXPECT_EQ(WidestPart(after), 1u);
}

TEST(GraphPlanTest, IndependentNodesAreFoldedIntoChainsOfOneLength) {
  const Numbers after(1000, 0);
  for (uint32_t width : {1u, 8u, 64u, 1000u, 5000u}) {
    const GraphPlan plan = PlanGraph(after, width);
    EXPECT_EQ(plan.vertices.size(), 1000u) << width;
    EXPECT_EQ(plan.edges.size(), 1000u - std::min(width, 1000u)) << width;
    EXPECT_EQ(plan.depth, (1000u + width - 1) / width) << width;
  }
  EXPECT_EQ(WidestPart(after), 1000u);
}

TEST(GraphPlanTest, ChainsMeetInAJoin) {
  Numbers after(100, 0);
  after.resize(200, 100);
  const GraphPlan plan = PlanGraph(after, 10);
  EXPECT_EQ(Joins(plan), 1u);
  EXPECT_EQ(plan.edges.size(), 90u + 10u + 10u + 90u);
  EXPECT_EQ(plan.depth, 20u);
}

TEST(GraphPlanTest, FewChainsMeetWithoutAJoin) {
  Numbers after(4, 0);
  after.resize(8, 4);
  const GraphPlan plan = PlanGraph(after, 4);
  EXPECT_EQ(Joins(plan), 0u);
  EXPECT_EQ(plan.edges.size(), 16u);
}

// One node before and after many: a fork and a join by themselves.
TEST(GraphPlanTest, ForkAndJoinOfOneNodeNeedNoOther) {
  Numbers after = {0};
  after.resize(101, 1);
  after.push_back(101);
  const GraphPlan plan = PlanGraph(after, 100);
  EXPECT_EQ(Joins(plan), 0u);
  EXPECT_EQ(plan.edges.size(), 200u);
  EXPECT_EQ(plan.depth, 3u);
}

TEST(GraphPlanTest, WideGraphsHaveTheOrderAskedForAndNoOther) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Numbers after = RandomOrder(random);
    const auto ancestors = Ancestors(PlanGraph(after, static_cast<uint32_t>(after.size())), after.size());
    for (size_t i = 0; i < after.size(); ++i) {
      for (size_t j = 0; j < after.size(); ++j)
        ASSERT_EQ(ancestors[i][j], j < after[i]) << round << ": " << i << ", " << j;
    }
  }
}

TEST(GraphPlanTest, NarrowGraphsHaveTheOrderAskedForInFewChains) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const Numbers after = RandomOrder(random);
    const uint32_t width = 1 + Below(random, 12);
    const GraphPlan plan = PlanGraph(after, width);
    const auto ancestors = Ancestors(plan, after.size());
    Numbers seen;
    for (const GraphVertex& vertex : plan.vertices) {
      if (vertex.node != GraphVertex::kJoin) seen.push_back(vertex.node);
    }
    ASSERT_EQ(seen.size(), after.size());
    ASSERT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    for (size_t i = 0; i < after.size(); ++i) {
      for (size_t j = 0; j < after[i]; ++j) ASSERT_TRUE(ancestors[i][j]) << round << ": " << i << " after " << j;
      if (i >= width) ASSERT_TRUE(ancestors[i][i - width]) << round << ": " << i << " follows in its chain";
    }
  }
}

NodeEdges RandomEdges(Random& random, uint32_t nodes) {
  NodeEdges edges;
  for (uint32_t i = 0; i < nodes; ++i) {
    Numbers before;
    for (uint32_t j = 0; j < i; ++j) {
      if (Below(random, 8) == 0) before.push_back(j);
    }
    edges.Add(before);
  }
  return edges;
}

TEST(GraphPlanTest, EdgesAreKeptAsTheyAre) {
  NodeEdges edges;
  edges.Add({});
  edges.Add({});
  edges.Add(Numbers{0, 1});
  edges.Add(Numbers{0});
  const GraphPlan plan = PlanGraph(edges, Numbers(4, 0));
  EXPECT_EQ(plan.vertices.size(), 4u);
  EXPECT_EQ(plan.edges, (HostVector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(plan.depth, 2u);
}

TEST(GraphPlanTest, ABarrierAmongEdgesIsOneJoin) {
  NodeEdges edges;
  for (uint32_t i = 0; i < 20; ++i) edges.Add(i >= 10 && i % 2 == 0 ? Numbers{i - 10} : Numbers());
  Numbers barriers(10, 0);
  barriers.resize(20, 10);
  const GraphPlan plan = PlanGraph(edges, barriers);
  EXPECT_EQ(Joins(plan), 1u);
  EXPECT_EQ(plan.edges.size(), 20u);
}

TEST(GraphPlanTest, EdgesAndBarriersHaveTheOrderAskedForAndNoOther) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Numbers barriers = RandomOrder(random);
    const auto nodes = static_cast<uint32_t>(barriers.size());
    const NodeEdges edges = RandomEdges(random, nodes);
    const auto ancestors = Ancestors(PlanGraph(edges, barriers), nodes);
    std::vector<std::vector<bool>> expected(nodes, std::vector<bool>(nodes));
    for (uint32_t i = 0; i < nodes; ++i) {
      const auto come_after = [&](uint32_t before) {
        expected[i][before] = true;
        for (uint32_t j = 0; j < before; ++j) expected[i][j] = expected[i][j] || expected[before][j];
      };
      for (uint32_t j = 0; j < barriers[i]; ++j) come_after(j);
      for (const uint32_t before : edges.Before(i)) come_after(before);
      ASSERT_EQ(ancestors[i], expected[i]) << round << ": " << i;
    }
  }
}

}  // namespace
}  // namespace halyard::stream
