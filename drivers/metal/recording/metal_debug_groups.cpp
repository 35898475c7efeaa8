// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_debug_groups.h"

namespace halyard::metal {

void DebugGroups::Begin(std::string_view label) {
  groups_.push_back({current_, groups_[current_].depth + 1, label});
  current_ = static_cast<uint32_t>(groups_.size() - 1);
}

void DebugGroups::End() { current_ = groups_[current_].parent; }

void DebugGroups::Switch(MetalEncoding& encoding, uint32_t from, uint32_t to) const {
  if (from == to) return;
  uint32_t common = to;
  while (from != common) {
    if (groups_[from].depth >= groups_[common].depth) {
      encoding.PopGroup();
      from = groups_[from].parent;
    } else {
      common = groups_[common].parent;
    }
  }
  Open(encoding, common, to);
}

// Groups nest as deep as the application nested them.
void DebugGroups::Open(MetalEncoding& encoding, uint32_t outer, uint32_t group) const {
  while (outer != group) {
    uint32_t next = group;
    while (groups_[next].parent != outer) next = groups_[next].parent;
    encoding.PushGroup(groups_[next].label);
    outer = next;
  }
}

}  // namespace halyard::metal
