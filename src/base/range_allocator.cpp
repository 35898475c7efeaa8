// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/range_allocator.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace halyard {
namespace {

constexpr size_t kFirstNodes = 16;
// One allocation can cut a range into three.
constexpr size_t kNodesOfAllocation = 2;

unsigned TopBit(uint64_t value) { return static_cast<unsigned>(std::bit_width(value)) - 1; }

uint64_t PaddingOf(uint64_t offset, uint64_t alignment) { return (~offset + 1) & (alignment - 1); }

}  // namespace

RangeAllocator::RangeAllocator(uint64_t size) : size_(size) {
  free_.fill(kNone);
  ReserveNodes();
  if (size == 0) return;
  const uint32_t whole = TakeNode();
  nodes_[whole].length = size;
  AddFree(whole);
}

std::optional<uint64_t> RangeAllocator::Allocate(uint64_t length, uint64_t alignment) {
  length = std::max<uint64_t>(length, 1);
  if (length > size_) return std::nullopt;
  ReserveNodes();
  uint32_t index = Find(length, alignment);
  if (index == kNone) return std::nullopt;
  RemoveFree(index);
  if (const uint64_t padding = PaddingOf(nodes_[index].offset, alignment); padding > 0) {
    const uint32_t aligned = SplitOff(index, padding);
    AddFree(index);
    index = aligned;
  }
  if (nodes_[index].length > length) AddFree(SplitOff(index, length));
  AddUsed(index);
  return nodes_[index].offset;
}

bool RangeAllocator::Free(uint64_t offset) noexcept {
  uint32_t index = RemoveUsed(offset);
  if (index == kNone) return false;
  const uint32_t after = nodes_[index].after;
  if (after != kNone && nodes_[after].is_free) {
    RemoveFree(after);
    JoinWithNext(index);
  }
  const uint32_t before = nodes_[index].before;
  if (before != kNone && nodes_[before].is_free) {
    RemoveFree(before);
    JoinWithNext(before);
    index = before;
  }
  AddFree(index);
  return true;
}

uint64_t RangeAllocator::LargestFree() const {
  if (levels_ == 0) return 0;
  const unsigned level = TopBit(levels_);
  const unsigned step = TopBit(steps_[level]);
  uint64_t largest = 0;
  for (uint32_t i = free_[level * kSteps + step]; i != kNone; i = nodes_[i].list_next) {
    largest = std::max(largest, nodes_[i].length);
  }
  return largest;
}

// --- Classes: below kSteps one for each length, above kSteps for each power of two. ---

// How far apart the lengths are at which classes begin.
uint64_t RangeAllocator::StepOf(uint64_t length) {
  return length < kSteps ? 1 : uint64_t{1} << (TopBit(length) - kStepBits);
}

uint32_t RangeAllocator::ClassOf(uint64_t length) {
  if (length < kSteps) return static_cast<uint32_t>(length);
  const unsigned shift = TopBit(length) - kStepBits;
  return static_cast<uint32_t>((shift + 1) * kSteps + ((length >> shift) & (kSteps - 1)));
}

// The first class of which every range holds `length`.
uint32_t RangeAllocator::ClassThatHolds(uint64_t length) { return ClassOf(length + StepOf(length) - 1); }

uint32_t RangeAllocator::FirstFrom(uint32_t size_class) const {
  size_t level = size_class / kSteps;
  uint32_t steps = steps_[level] & (UINT32_MAX << size_class % kSteps);
  if (steps == 0) {
    const uint64_t levels = levels_ & (UINT64_MAX << (level + 1));
    if (levels == 0) return kNone;
    level = std::countr_zero(levels);
    steps = steps_[level];
  }
  return free_[level * kSteps + std::countr_zero(steps)];
}

bool RangeAllocator::Fits(uint32_t index, uint64_t length, uint64_t alignment) const {
  if (index == kNone) return false;
  const Node& node = nodes_[index];
  const uint64_t padding = PaddingOf(node.offset, alignment);
  return padding <= node.length && length <= node.length - padding;
}

// Ranges of the length's own class come first. They may be too short, but one that was freed is as long as the next
// allocation of that length. Room for padding is asked for last, as it is rarely needed.
uint32_t RangeAllocator::Find(uint64_t length, uint64_t alignment) const {
  const uint32_t near = free_[ClassOf(length)];
  if (Fits(near, length, alignment)) return near;
  const uint32_t longer = FirstFrom(ClassThatHolds(length));
  if (Fits(longer, length, alignment)) return longer;
  if (alignment - 1 > size_ - length) return kNone;
  return FirstFrom(ClassThatHolds(length + alignment - 1));
}

void RangeAllocator::AddFree(uint32_t index) noexcept {
  Node& node = nodes_[index];
  const uint32_t size_class = ClassOf(node.length);
  node.is_free = true;
  node.list_previous = kNone;
  node.list_next = free_[size_class];
  if (node.list_next != kNone) nodes_[node.list_next].list_previous = index;
  free_[size_class] = index;
  steps_[size_class / kSteps] |= 1u << size_class % kSteps;
  levels_ |= uint64_t{1} << size_class / kSteps;
}

void RangeAllocator::RemoveFree(uint32_t index) noexcept {
  Node& node = nodes_[index];
  node.is_free = false;
  if (node.list_next != kNone) nodes_[node.list_next].list_previous = node.list_previous;
  if (node.list_previous != kNone) {
    nodes_[node.list_previous].list_next = node.list_next;
    return;
  }
  const uint32_t size_class = ClassOf(node.length);
  free_[size_class] = node.list_next;
  if (node.list_next != kNone) return;
  uint32_t& steps = steps_[size_class / kSteps];
  steps &= ~(1u << size_class % kSteps);
  if (steps == 0) levels_ &= ~(uint64_t{1} << size_class / kSteps);
}

// --- Used ranges, found by their offset. ---

uint32_t RangeAllocator::BucketOf(uint64_t offset) const {
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // offsets are multiples of alignments: their low bits are alike
  return static_cast<uint32_t>(offset * kSpread >> 32) & static_cast<uint32_t>(buckets_.size() - 1);
}

void RangeAllocator::AddUsed(uint32_t index) noexcept {
  Node& node = nodes_[index];
  uint32_t& bucket = buckets_[BucketOf(node.offset)];
  node.list_next = bucket;
  bucket = index;
  used_bytes_ += node.length;
}

uint32_t RangeAllocator::RemoveUsed(uint64_t offset) noexcept {
  uint32_t* link = &buckets_[BucketOf(offset)];
  while (*link != kNone && nodes_[*link].offset != offset) link = &nodes_[*link].list_next;
  const uint32_t index = *link;
  if (index == kNone) return kNone;
  *link = nodes_[index].list_next;
  used_bytes_ -= nodes_[index].length;
  return index;
}

// --- Nodes. ---

// Makes room for the nodes of one allocation, so that nothing throws after ranges have changed.
void RangeAllocator::ReserveNodes() {
  if (spare_count_ >= kNodesOfAllocation) return;
  const size_t old_count = nodes_.size();
  const size_t count = std::max(old_count * 2, kFirstNodes);
  HostVector<uint32_t> used(count, kNone);
  nodes_.resize(count);
  used.swap(buckets_);
  for (uint32_t index : used) {
    while (index != kNone) {
      Node& node = nodes_[index];
      uint32_t& bucket = buckets_[BucketOf(node.offset)];
      const uint32_t next = std::exchange(node.list_next, bucket);
      bucket = std::exchange(index, next);
    }
  }
  for (size_t index = count; index-- > old_count;) ReturnNode(static_cast<uint32_t>(index));
}

uint32_t RangeAllocator::TakeNode() {
  const uint32_t index = spare_;
  spare_ = nodes_[index].list_next;
  --spare_count_;
  nodes_[index] = {};
  return index;
}

void RangeAllocator::ReturnNode(uint32_t index) noexcept {
  nodes_[index].list_next = spare_;
  spare_ = index;
  ++spare_count_;
}

// Leaves `length` of a range; the rest becomes a range of its own, neither used nor free yet.
uint32_t RangeAllocator::SplitOff(uint32_t index, uint64_t length) noexcept {
  const uint32_t rest = TakeNode();
  Node& node = nodes_[index];
  nodes_[rest].offset = node.offset + length;
  nodes_[rest].length = node.length - length;
  nodes_[rest].before = index;
  nodes_[rest].after = node.after;
  if (node.after != kNone) nodes_[node.after].before = rest;
  node.after = rest;
  node.length = length;
  return rest;
}

// The two are in no list.
void RangeAllocator::JoinWithNext(uint32_t index) noexcept {
  Node& node = nodes_[index];
  const uint32_t next = node.after;
  node.length += nodes_[next].length;
  node.after = nodes_[next].after;
  if (node.after != kNone) nodes_[node.after].before = index;
  ReturnNode(next);
}

}  // namespace halyard
