// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/used_memory.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace halyard {
namespace {

constexpr size_t kSmallestIndex = 64;

/// The upper bits of a product depend on all bits of its factors.
size_t HashOf(const UsedMemory::Place& place) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  return static_cast<size_t>((((place.space * kOdd) ^ place.first) * kOdd) >> 32);
}

}  // namespace

void UsedMemory::Clear() {
  pieces_.clear();
  order_.clear();
  arena_.Clear();
  index_.clear();
}

UsedMemory::Piece* UsedMemory::FindWhole(const Place& place, uint64_t end) {
  if (index_.size() <= 2 * pieces_.size()) GrowIndex();
  const uint32_t known = IndexOf(place);
  if (known != kNone && pieces_[known].end == end) return &pieces_[known];
  const auto behind = order_.lower_bound(place);
  if (IsBefore(behind, place.space, end)) return nullptr;
  if (behind != order_.begin()) {
    const Piece& before = pieces_[std::prev(behind)->second];
    if (before.place.space == place.space && before.end > place.first) return nullptr;
  }
  return &pieces_[Insert(behind, place, end)->second];
}

UsedMemory::Order::iterator UsedMemory::Split(const Place& at) {
  const auto behind = order_.lower_bound(at);
  if (behind == order_.begin()) return behind;
  Piece& one = pieces_[std::prev(behind)->second];
  if (one.place.space != at.space || one.end <= at.first) return behind;
  const Piece whole = one;
  one.end = at.first;
  const auto tail = Insert(behind, at, whole.end);
  pieces_[tail->second].writer = whole.writer;
  pieces_[tail->second].readers = whole.readers;
  return tail;
}

UsedMemory::Order::iterator UsedMemory::Insert(Order::iterator behind, const Place& place, uint64_t end) {
  const auto number = static_cast<uint32_t>(pieces_.size());
  pieces_.push_back({place, end});
  if (index_.size() < 2 * pieces_.size()) GrowIndex();
  IndexOf(place) = number;
  return order_.emplace_hint(behind, place, number);
}

/// Where the number of a place's piece stands, or would.
uint32_t& UsedMemory::IndexOf(const Place& place) {
  const size_t mask = index_.size() - 1;
  size_t at = HashOf(place) & mask;
  while (index_[at] != kNone && pieces_[index_[at]].place != place) at = (at + 1) & mask;
  return index_[at];
}

// Later pieces stand in for earlier ones at the same place.
void UsedMemory::GrowIndex() {
  index_.assign(std::bit_ceil(std::max(kSmallestIndex, 4 * pieces_.size())), kNone);
  for (uint32_t i = 0; i < pieces_.size(); ++i) IndexOf(pieces_[i].place) = i;
}

}  // namespace halyard
