// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/hazards.h"

#include <algorithm>
#include <utility>

#include "driver_kit/queue/command.h"

namespace halyard {
namespace {

/// Calls `use(ref, writes)` with each range of a command, in order.
template <class Use>
void ForEachUse(const HazardDriver& driver, const hal_command_t& command, const Use& use) {
  size_t binding = 0;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse how) {
    const bool writes =
        how == RangeUse::kTarget || (how == RangeUse::kBinding && driver.writes(command.u.dispatch, binding++));
    if (ref.length != 0) use(ref, writes);
  });
}

}  // namespace

uint32_t HazardTracker::Add(const hal_command_t& command) {
  before_.clear();
  ForEachUse(driver_, command, [this](const hal_buffer_ref_t& ref, bool writes) {
    if (slots_) slots_->Note(ref, writes);
    Use(ref, writes);
  });
  if (before_.size() > 1) {
    std::ranges::sort(before_);
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    DropIndirect();
  }
  edges_.Add(before_);
  return before_.empty() ? 0 : before_.back() + 1;
}

NodeEdges HazardTracker::BeginSegment() {
  memory_.Clear();
  readers_.clear();
  marks_.clear();
  return std::exchange(edges_, {});
}

// Spaces: 0 for addresses, a buffer's own address, which is even, and odd numbers for slots.
void HazardTracker::Use(const hal_buffer_ref_t& ref, bool writes) {
  UsedMemory::Place first{uint64_t{ref.slot} * 2 + 1, ref.offset};
  uint64_t end = EndOfRange(ref);
  if (ref.buffer) {
    const MemoryPlace place = driver_.place_of(*ref.buffer);
    first = {reinterpret_cast<uintptr_t>(place.space), place.first + ref.offset};
    end = first.first + ref.length;
  }
  writes ? Write(first, end) : Read(first, end);
}

void HazardTracker::Read(const UsedMemory::Place& place, uint64_t end) {
  memory_.ForEachPiece(place, end, [this](UsedMemory::Piece& piece) {
    ComeAfter(piece.writer);
    readers_.push_back({edges_.size(), piece.readers});
    piece.readers = static_cast<uint32_t>(readers_.size() - 1);
  });
}

// Readers come after the last writer themselves.
void HazardTracker::Write(const UsedMemory::Place& place, uint64_t end) {
  UsedMemory::Piece& written = memory_.Merge(place, end, [this](const UsedMemory::Piece& piece) {
    ComeAfter(piece.writer);
    for (uint32_t i = piece.readers; i != kNone; i = readers_[i].next) ComeAfter(readers_[i].node);
  });
  written.writer = edges_.size();
  written.readers = kNone;
}

void HazardTracker::ComeAfter(uint32_t node) {
  if (node == kNone || node == edges_.size()) return;
  if (before_.empty() || before_.back() != node) before_.push_back(node);  // the last is often named twice
}

// Drops those that another one waits for itself.
void HazardTracker::DropIndirect() {
  const uint32_t mark = edges_.size() + 1;
  marks_.resize(edges_.size());
  for (const uint32_t node : before_) {
    for (const uint32_t earlier : edges_.Before(node)) marks_[earlier] = mark;
  }
  std::erase_if(before_, [&](uint32_t node) { return marks_[node] == mark; });
}

}  // namespace halyard
