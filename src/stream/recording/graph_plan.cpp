// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_plan.h"

#include <algorithm>

namespace halyard::stream {
namespace {

// Up to that many edges between two groups of chains are cheaper than a join.
constexpr size_t kMaxDirectEdges = 16;

/// Adds vertices to a plan.
class PlanBuilder {
 public:
  explicit PlanBuilder(size_t nodes) {
    plan_.vertices.reserve(nodes);
    depths_.reserve(nodes);
  }

  uint32_t Add(uint32_t node, std::span<const uint32_t> edges) {
    uint32_t depth = 0;
    for (uint32_t vertex : edges) depth = std::max(depth, depths_[vertex]);
    if (node != GraphVertex::kJoin) ++depth;
    depths_.push_back(depth);
    plan_.depth = std::max(plan_.depth, depth);
    plan_.vertices.push_back({node, static_cast<uint32_t>(plan_.edges.size()), static_cast<uint32_t>(edges.size())});
    plan_.edges.insert(plan_.edges.end(), edges.begin(), edges.end());
    return static_cast<uint32_t>(plan_.vertices.size() - 1);
  }
  GraphPlan Take() { return std::move(plan_); }

 private:
  GraphPlan plan_;
  HostVector<uint32_t> depths_;  // of each vertex
};

constexpr uint32_t kNone = UINT32_MAX;

/// Plans chains.
class Planner {
 public:
  Planner(std::span<const uint32_t> after, uint32_t width)
      : after_(after), width_(std::max(width, 1u)), plan_(after.size()), turn_(width_ - 1) {}

  GraphPlan Run() && {
    size_t user = 0;  // the first node whose prefix has not been looked for yet
    for (uint32_t node = 0; node < after_.size(); ++node) {
      // Prefixes are closed when the nodes before them are planned, and used by later nodes.
      for (; user < after_.size() && after_[user] <= node; user = EndOfUsers(user)) ClosePrefix(after_[user], user);
      AddNode(node);
    }
    return plan_.Take();
  }

 private:
  /// Nodes that follow each other.
  struct Chain {
    uint32_t vertex = 0;   // its last node's
    uint32_t node = 0;     // its last node
    uint32_t covered = 0;  // its last node comes after so many first nodes
  };
  /// The first `length` nodes: what comes after these vertices comes after all of them.
  struct Prefix {
    uint32_t length = 0;
    uint32_t heads = 0;  // chains that will begin after it
    HostVector<uint32_t> vertices;
  };

  size_t EndOfUsers(size_t user) const {
    return static_cast<size_t>(
        std::upper_bound(after_.begin() + static_cast<std::ptrdiff_t>(user), after_.end(), after_[user]) -
        after_.begin());
  }

  void ClosePrefix(uint32_t length, size_t user) {
    const auto heads = static_cast<uint32_t>(std::min<size_t>(EndOfUsers(user) - user, width_));
    Prefix prefix = {length, heads, {}};
    uint32_t covered = 0;
    for (const Chain& chain : chains_) covered = std::max(covered, chain.covered);
    for (const Chain& chain : chains_) {
      // What ends before `covered` is waited for by the chain that comes after that much.
      if (chain.node >= covered) prefix.vertices.push_back(chain.vertex);
    }
    prefixes_.push_back(std::move(prefix));
  }

  void AddNode(uint32_t node) {
    while (prefixes_[prefix_].length != after_[node]) ++prefix_;
    Chain& chain = NextChain();
    edges_.clear();
    const bool begun = chain.vertex != kNone;
    if (begun && chain.node >= after_[node]) edges_.push_back(chain.vertex);
    if (!begun || chain.covered < after_[node]) {
      const HostVector<uint32_t>& before = Before(prefixes_[prefix_]);
      edges_.insert(edges_.end(), before.begin(), before.end());
    }
    chain.covered = after_[node];
    chain.node = node;
    chain.vertex = plan_.Add(node, edges_);
  }

  Chain& NextChain() {
    turn_ = turn_ + 1 < width_ ? turn_ + 1 : 0;
    if (turn_ == chains_.size()) chains_.push_back({kNone, 0, 0});
    return chains_[turn_];
  }

  const HostVector<uint32_t>& Before(Prefix& prefix) {
    if (prefix.vertices.size() > 1 && prefix.heads > 1 && prefix.vertices.size() * prefix.heads > kMaxDirectEdges) {
      prefix.vertices = {plan_.Add(GraphVertex::kJoin, prefix.vertices)};
    }
    return prefix.vertices;
  }

  const std::span<const uint32_t> after_;
  const uint32_t width_;
  PlanBuilder plan_;
  HostVector<Chain> chains_;
  uint32_t turn_;                // the chain that had the last node
  HostVector<Prefix> prefixes_;  // by rising length
  size_t prefix_ = 0;            // that of the last node
  HostVector<uint32_t> edges_;
};

/// Plans the edges that are given.
class EdgePlanner {
 public:
  EdgePlanner(const NodeEdges& edges, std::span<const uint32_t> barriers)
      : edges_(edges), barriers_(barriers), plan_(barriers.size()) {}

  GraphPlan Run() && {
    for (uint32_t node = 0; node < barriers_.size(); ++node) {
      if (barriers_[node] > length_) Close(barriers_[node]);
      Add(node);
    }
    return plan_.Take();
  }

 private:
  // All that follows comes after the first `length` nodes: after those that none of these comes after.
  void Close(uint32_t length) {
    HostVector<uint32_t> last;
    for (uint32_t node = 0; node < length; ++node) {
      if (followers_[node] >= length) last.push_back(vertices_[node]);
    }
    gate_ = last.size() == 1 ? last.front() : plan_.Add(GraphVertex::kJoin, last);
    length_ = length;
  }

  void Add(uint32_t node) {
    before_.clear();
    if (gate_ != kNone) before_.push_back(gate_);
    for (const uint32_t earlier : edges_.Before(node)) {
      followers_[earlier] = std::min(followers_[earlier], node);
      if (earlier >= length_) before_.push_back(vertices_[earlier]);
    }
    // What follows the gate follows all before it.
    for (; gated_ < length_; ++gated_) followers_[gated_] = std::min(followers_[gated_], node);
    vertices_.push_back(plan_.Add(node, before_));
    followers_.push_back(kNone);
  }

  const NodeEdges& edges_;
  const std::span<const uint32_t> barriers_;
  PlanBuilder plan_;
  HostVector<uint32_t> vertices_;   // [node]
  HostVector<uint32_t> followers_;  // [node] the first that comes after it
  uint32_t length_ = 0;             // of the last barrier
  uint32_t gate_ = kNone;           // the vertex that all nodes wait for since then
  uint32_t gated_ = 0;              // nodes whose followers know it
  HostVector<uint32_t> before_;
};

}  // namespace

GraphPlan PlanGraph(const NodeEdges& edges, std::span<const uint32_t> barriers) {
  return EdgePlanner(edges, barriers).Run();
}

GraphPlan PlanGraph(std::span<const uint32_t> after, uint32_t width) { return Planner(after, width).Run(); }

uint32_t WidestPart(std::span<const uint32_t> after) {
  uint32_t widest = 0;
  for (uint32_t node = 0; node < after.size(); ++node) widest = std::max(widest, node - after[node] + 1);
  return widest;
}

}  // namespace halyard::stream
