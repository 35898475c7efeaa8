// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint_blocks.h"

#include <algorithm>
#include <utility>

#include "base/process_wide.h"

namespace halyard {
namespace {

/// As `a < b`, without a branch that a processor would have to guess.
bool IsEarlier(TimepointKey a, TimepointKey b) {
  const bool by_value = a.value < b.value;
  const bool by_sequence = (a.value == b.value) & (a.sequence < b.sequence);
  return by_value | by_sequence;
}

bool IsLater(const TimepointEntry& a, const TimepointEntry& b) { return IsEarlier(b.key, a.key); }

}  // namespace

TimepointPool& TimepointPool::Get() { return ProcessWide<TimepointPool>::Get(); }

TimepointBlock* TimepointPool::Acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (TimepointBlock* const block = free_) {
      free_ = block->next;
      --count_;
      return block;
    }
  }
  return new TimepointBlock;
}

void TimepointPool::Recycle(TimepointBlock* block) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (count_ < kMaxFree) {
      block->next = free_;
      free_ = block;
      ++count_;
      return;
    }
  }
  delete block;
}

void TimepointPool::TrimIfAny() noexcept {
  if (TimepointPool* const pool = ProcessWide<TimepointPool>::Find()) pool->Trim();
}

void TimepointPool::Trim() noexcept {
  TimepointBlock* unused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::swap(unused, free_);
    count_ = 0;
  }
  while (unused) delete std::exchange(unused, unused->next);
}

TimepointBlocks::~TimepointBlocks() {
  for (const Part& part : parts_) delete part.block;
}

/// The part that a key belongs to: the latest one that does not begin after it. Only if there is one.
size_t TimepointBlocks::Find(TimepointKey key) const {
  size_t begin = 0;
  for (size_t count = parts_.size(); count > 0;) {
    const size_t half = count / 2;
    const bool after = IsEarlier(key, parts_[begin + half].lowest);
    begin = after ? begin + half + 1 : begin;
    count = after ? count - half - 1 : half;
  }
  return begin;
}

void TimepointBlocks::Add(const TimepointEntry& entry) {
  if (parts_.empty()) {
    parts_.reserve(8);
    parts_.push_back({{0, 0}, TimepointPool::Get().Acquire(), 0});
  }
  size_t at = Find(entry.key);
  if (parts_[at].count == TimepointBlock::kCapacity) at = Split(at, entry.key);
  Part& part = parts_[at];
  TimepointEntry* const begin = part.block->entries.data();
  TimepointEntry* place = begin + part.count;
  if (IsFirst(at)) {
    for (; place > begin && IsEarlier(place[-1].key, entry.key); --place) *place = place[-1];
  }
  *place = entry;
  ++part.count;
}

/// Halves a part that is full. Returns the one of both that the key belongs to.
size_t TimepointBlocks::Split(size_t part, TimepointKey key) {
  constexpr uint32_t kHalf = TimepointBlock::kCapacity / 2;
  if (parts_.size() == parts_.capacity()) parts_.reserve(parts_.size() * 2);
  TimepointBlock* const later = TimepointPool::Get().Acquire();
  // Nothing throws from here on.
  auto& entries = parts_[part].block->entries;
  if (!IsFirst(part)) std::nth_element(entries.begin(), entries.begin() + kHalf, entries.end(), IsLater);
  std::copy_n(entries.begin(), kHalf, later->entries.begin());
  std::copy(entries.begin() + kHalf, entries.end(), entries.begin());
  parts_[part].count -= kHalf;
  const auto* const lowest = std::max_element(later->entries.begin(), later->entries.begin() + kHalf, IsLater);
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(part), {lowest->key, later, kHalf});
  return IsEarlier(key, parts_[part].lowest) ? part + 1 : part;
}

void TimepointBlocks::SortFirst() noexcept {
  if (parts_.empty()) return;
  parts_.back().lowest = {0, 0};
  auto& entries = parts_.back().block->entries;
  std::sort(entries.begin(), entries.begin() + parts_.back().count, IsLater);
}

void TimepointBlocks::DropFirst() noexcept {
  if (--parts_.back().count > 0) return;
  Drop(parts_.size() - 1);
}

/// Gives up a part without entries.
void TimepointBlocks::Drop(size_t part) noexcept {
  const bool was_first = IsFirst(part);
  TimepointPool::Get().Recycle(parts_[part].block);
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(part));
  if (was_first) SortFirst();
}

/// Makes one of a part and the next earlier one, if one block is not even half full with both.
bool TimepointBlocks::Join(size_t later) noexcept {
  if (IsFirst(later)) return false;
  const Part& from = parts_[later];
  Part& to = parts_[later + 1];
  if (from.count + to.count > TimepointBlock::kCapacity / 2) return false;
  std::copy_n(from.block->entries.begin(), from.count, to.block->entries.begin() + to.count);
  to.count += from.count;
  Drop(later);
  if (IsFirst(later)) SortFirst();
  return true;
}

bool TimepointBlocks::Remove(TimepointKey key, Timepoint* out_timepoint) {
  if (parts_.empty()) return false;
  const size_t at = Find(key);
  Part& part = parts_[at];
  TimepointEntry* const begin = part.block->entries.data();
  TimepointEntry* const end = begin + part.count;
  TimepointEntry* const found = std::find_if(begin, end, [&](const TimepointEntry& entry) { return entry.key == key; });
  if (found == end) return false;
  *out_timepoint = found->timepoint;
  std::copy(found + 1, end, found);  // as the first part stays sorted
  if (--part.count == 0) {
    Drop(at);
    return true;
  }
  Join(at);
  if (at > 0) Join(at - 1);
  return true;
}

}  // namespace halyard
