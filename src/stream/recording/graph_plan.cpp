// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/graph_plan.h"

#include <algorithm>

namespace halyard::stream {
namespace {

// Up to that many edges between two groups of chains are cheaper than a join.
constexpr size_t kMaxDirectEdges = 16;

class Planner {
 public:
  Planner(std::span<const uint32_t> after, uint32_t width)
      : after_(after), width_(std::max(width, 1u)), turn_(width_ - 1) {
    plan_.vertices.reserve(after.size());
    depths_.reserve(after.size());
  }

  GraphPlan Run() && {
    size_t user = 0;  // the first node whose prefix has not been looked for yet
    for (uint32_t node = 0; node < after_.size(); ++node) {
      // Prefixes are closed when the nodes before them are planned, and used by later nodes.
      for (; user < after_.size() && after_[user] <= node; user = EndOfUsers(user)) ClosePrefix(after_[user], user);
      AddNode(node);
    }
    return std::move(plan_);
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
    chain.vertex = AddVertex(node, edges_);
  }

  Chain& NextChain() {
    turn_ = turn_ + 1 < width_ ? turn_ + 1 : 0;
    if (turn_ == chains_.size()) chains_.push_back({kNone, 0, 0});
    return chains_[turn_];
  }

  const HostVector<uint32_t>& Before(Prefix& prefix) {
    if (prefix.vertices.size() > 1 && prefix.heads > 1 && prefix.vertices.size() * prefix.heads > kMaxDirectEdges) {
      prefix.vertices = {AddVertex(GraphVertex::kJoin, prefix.vertices)};
    }
    return prefix.vertices;
  }

  uint32_t AddVertex(uint32_t node, const HostVector<uint32_t>& edges) {
    uint32_t depth = 0;
    for (uint32_t vertex : edges) depth = std::max(depth, depths_[vertex]);
    if (node != GraphVertex::kJoin) ++depth;
    depths_.push_back(depth);
    plan_.depth = std::max(plan_.depth, depth);
    plan_.vertices.push_back({node, static_cast<uint32_t>(plan_.edges.size()), static_cast<uint32_t>(edges.size())});
    plan_.edges.insert(plan_.edges.end(), edges.begin(), edges.end());
    return static_cast<uint32_t>(plan_.vertices.size() - 1);
  }

  static constexpr uint32_t kNone = UINT32_MAX;

  const std::span<const uint32_t> after_;
  const uint32_t width_;
  GraphPlan plan_;
  HostVector<uint32_t> depths_;  // of each vertex
  HostVector<Chain> chains_;
  uint32_t turn_;                // the chain that had the last node
  HostVector<Prefix> prefixes_;  // by rising length
  size_t prefix_ = 0;            // that of the last node
  HostVector<uint32_t> edges_;
};

}  // namespace

GraphPlan PlanGraph(std::span<const uint32_t> after, uint32_t width) { return Planner(after, width).Run(); }

uint32_t WidestPart(std::span<const uint32_t> after) {
  uint32_t widest = 0;
  for (uint32_t node = 0; node < after.size(); ++node) widest = std::max(widest, node - after[node] + 1);
  return widest;
}

}  // namespace halyard::stream
