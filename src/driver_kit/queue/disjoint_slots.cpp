// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/disjoint_slots.h"

#include <algorithm>
#include <utility>

namespace halyard {

void DisjointSlots::Widen(Use* use, const hal_buffer_ref_t& ref, bool writes) {
  const bool is_first = use->end == 0;
  use->first = is_first ? ref.offset : std::min(use->first, ref.offset);
  use->end = std::max(use->end, EndOfRange(ref));
  use->writes |= writes;
}

void DisjointSlots::Note(const hal_buffer_ref_t& ref, bool writes) {
  Widen(ref.buffer ? &buffers_[ref.buffer] : &slots_[ref.slot], ref, writes);
}

void DisjointSlots::Seal() {
  if (!slots_.empty()) scratch_.reserve(slots_.size() + buffers_.size());
}

DisjointSlots::Item DisjointSlots::ItemOf(const hal_buffer_t& buffer, uint64_t offset, uint64_t length,
                                          const Use& use) const {
  const MemoryPlace place = driver_.place_of(buffer);
  const uint64_t first = place.first + offset;
  return {{place.space, first + std::min(use.first, length)}, first + std::min(use.end, length), use.writes, false};
}

// Of two that overlap, one of them written, none may be a slot. Hazards among buffers that commands name are known.
bool DisjointSlots::AreDisjoint(std::span<Item> items) {
  std::ranges::sort(items, [](const Item& a, const Item& b) {
    return std::pair(a.place.space, a.place.first) < std::pair(b.place.space, b.place.first);
  });
  const void* space = nullptr;
  /// Where the items so far end, and those that are written.
  struct Ends {
    uint64_t all = 0;
    uint64_t written = 0;
    void Add(const Item& item) {
      all = std::max(all, item.end);
      if (item.writes) written = std::max(written, item.end);
    }
  };
  Ends any;
  Ends slots;
  for (const Item& item : items) {
    if (item.place.space != space) any = slots = {};
    space = item.place.space;
    const Ends& others = item.is_slot ? any : slots;
    if (item.place.first < (item.writes ? others.all : others.written)) return false;
    any.Add(item);
    if (item.is_slot) slots.Add(item);
  }
  return true;
}

bool DisjointSlots::Hold(BindingTable table) const {
  if (slots_.empty()) return true;
  const std::lock_guard lock(mutex_);
  scratch_.clear();
  for (const auto& [slot, use] : slots_) {
    if (slot >= table.size() || !table[slot].buffer) continue;  // the command that uses it fails
    const hal_buffer_ref_t& given = table[slot];
    scratch_.push_back(ItemOf(*given.buffer, given.offset, given.length, use));
    scratch_.back().is_slot = true;
  }
  for (const auto& [buffer, use] : buffers_) scratch_.push_back(ItemOf(*buffer, 0, UINT64_MAX, use));
  return AreDisjoint(scratch_);
}

}  // namespace halyard
