// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_encoder_plan.h"

#include <algorithm>
#include <array>

namespace halyard::metal {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// The passes that are open side by side: at most one of each kind.
struct OpenPass {
  HostVector<PlanStep> steps;
  uint32_t first = kNone;      // its first node
  uint32_t unordered = kNone;  // its first node since the last barrier
  uint32_t after = 0;          // the most that a node of it must come after
};

class Planner {
 public:
  Planner(std::span<const PlanNode> nodes, bool serial) : nodes_(nodes), serial_(serial) {}

  EncoderPlan Run() && {
    for (uint32_t i = 0; i < nodes_.size(); ++i) Take(i);
    CloseAll();
    return std::move(plan_);
  }

 private:
  OpenPass& Open(PassKind kind) { return open_[static_cast<size_t>(kind)]; }
  static bool HasBefore(const OpenPass& pass, uint32_t after) { return pass.first < after; }

  void Take(uint32_t index) {
    const PlanNode& node = nodes_[index];
    const bool compute = node.kind == PassKind::kCompute;
    // What must come before it has to be in its own compute pass, or in a pass that is closed.
    if (HasBefore(Open(PassKind::kBlit), node.after) || (!compute && HasBefore(Open(PassKind::kCompute), node.after))) {
      CloseAll();
    }
    OpenPass& pass = Open(node.kind);
    const bool barrier = compute && pass.unordered < node.after;
    if (pass.first == kNone) pass.first = index;
    if (pass.unordered == kNone || barrier) pass.unordered = index;
    pass.after = std::max(pass.after, node.after);
    pass.steps.push_back({index, barrier && !serial_});
  }

  void CloseAll() {
    const bool blit_first = Open(PassKind::kBlit).first < Open(PassKind::kCompute).first;
    Close(blit_first ? PassKind::kBlit : PassKind::kCompute);
    Close(blit_first ? PassKind::kCompute : PassKind::kBlit);
  }

  void Close(PassKind kind) {
    OpenPass& open = Open(kind);
    if (open.steps.empty()) return;
    PlanPass pass;
    pass.kind = kind;
    pass.first_step = static_cast<uint32_t>(plan_.steps.size());
    pass.step_count = static_cast<uint32_t>(open.steps.size());
    AddWaits(open.after, &pass);
    plan_.steps.insert(plan_.steps.end(), open.steps.begin(), open.steps.end());
    plan_.passes.push_back(pass);
    first_nodes_.push_back(open.first);
    open.steps.clear();
    open.first = open.unordered = kNone;
    open.after = 0;
  }

  // First nodes rise from pass to pass, so what a pass must come after is a prefix of the passes: those before
  // `prefixes_` of it.
  void AddWaits(uint32_t after, PlanPass* pass) {
    const auto prefix =
        static_cast<uint32_t>(std::lower_bound(first_nodes_.begin(), first_nodes_.end(), after) - first_nodes_.begin());
    pass->first_wait = static_cast<uint32_t>(plan_.waits.size());
    uint32_t known = 0;  // passes before it are waited for by one of the waits
    for (uint32_t other = prefix; other > known; --other) {
      plan_.waits.push_back(other - 1);
      plan_.passes[other - 1].signals = true;
      known = std::max(known, prefixes_[other - 1]);
    }
    pass->wait_count = static_cast<uint32_t>(plan_.waits.size()) - pass->first_wait;
    prefixes_.push_back(prefix);
  }

  const std::span<const PlanNode> nodes_;
  const bool serial_;
  std::array<OpenPass, 2> open_;
  HostVector<uint32_t> first_nodes_;  // by pass
  HostVector<uint32_t> prefixes_;     // by pass: it comes after the passes before that one
  EncoderPlan plan_;
};

}  // namespace

EncoderPlan PlanEncoders(std::span<const PlanNode> nodes, bool serial) { return Planner(nodes, serial).Run(); }

}  // namespace halyard::metal
