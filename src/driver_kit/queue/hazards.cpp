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
  std::ranges::sort(before_);
  before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
  DropIndirect();
  edges_.Add(before_);
  return before_.empty() ? 0 : before_.back() + 1;
}

NodeEdges HazardTracker::BeginSegment() {
  map_.clear();
  readers_.clear();
  marks_.clear();
  return std::exchange(edges_, {});
}

// Spaces: 0 for addresses, a buffer's own address, which is even, and odd numbers for slots.
void HazardTracker::Use(const hal_buffer_ref_t& ref, bool writes) {
  Place first{uint64_t{ref.slot} * 2 + 1, ref.offset};
  uint64_t end = EndOfRange(ref);
  if (ref.buffer) {
    const MemoryPlace place = driver_.place_of(*ref.buffer);
    first = {reinterpret_cast<uintptr_t>(place.space), place.first + ref.offset};
    end = first.first + ref.length;
  }
  writes ? Write(first, end) : Read(first, end);
}

// Makes `at` a border between bytes, and returns the first ones behind it.
HazardTracker::Map::iterator HazardTracker::Split(uint64_t space, uint64_t at) {
  const auto behind = map_.lower_bound({space, at});
  if (behind == map_.begin()) return behind;
  const auto one = std::prev(behind);
  if (one->first.space != space || one->second.end <= at) return behind;
  Bytes tail = one->second;
  one->second.end = at;
  return map_.emplace_hint(behind, Place{space, at}, tail);
}

void HazardTracker::Read(const Place& first, uint64_t end) {
  const uint32_t node = edges_.size();
  Split(first.space, end);
  auto one = Split(first.space, first.first);
  for (uint64_t at = first.first; at < end; ++one) {
    const bool is_gap = one == map_.end() || one->first.space != first.space || one->first.first > at;
    if (is_gap) {
      const bool is_last = one == map_.end() || one->first.space != first.space || one->first.first >= end;
      one = map_.emplace_hint(one, Place{first.space, at}, Bytes{is_last ? end : one->first.first});
    }
    Bytes& bytes = one->second;
    at = bytes.end;
    ComeAfter(bytes.writer);
    readers_.push_back({node, bytes.readers});
    bytes.readers = static_cast<uint32_t>(readers_.size() - 1);
  }
}

// Readers come after the last writer themselves.
void HazardTracker::Write(const Place& first, uint64_t end) {
  Split(first.space, end);
  auto one = Split(first.space, first.first);
  while (one != map_.end() && one->first.space == first.space && one->first.first < end) {
    const Bytes& bytes = one->second;
    ComeAfter(bytes.writer);
    for (uint32_t i = bytes.readers; i != kNone; i = readers_[i].next) ComeAfter(readers_[i].node);
    one = map_.erase(one);
  }
  map_.emplace_hint(one, first, Bytes{end, edges_.size(), kNone});
}

void HazardTracker::ComeAfter(uint32_t node) {
  if (node != kNone && node != edges_.size()) before_.push_back(node);
}

// Drops those that another one waits for itself.
void HazardTracker::DropIndirect() {
  if (before_.size() < 2) return;
  const uint32_t mark = edges_.size() + 1;
  marks_.resize(edges_.size());
  for (const uint32_t node : before_) {
    for (const uint32_t earlier : edges_.Before(node)) marks_[earlier] = mark;
  }
  std::erase_if(before_, [&](uint32_t node) { return marks_[node] == mark; });
}

}  // namespace halyard
