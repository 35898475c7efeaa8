// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint_queue.h"

#include <algorithm>
#include <array>

#include "base/process_wide.h"

namespace halyard {
namespace {

TimepointNode NewNode() {
  TimepointMap map;
  map.try_emplace(TimepointKey{0, 0});
  return map.extract(map.begin());
}

}  // namespace

TimepointPool& TimepointPool::Get() { return ProcessWide<TimepointPool>::Get(); }

TimepointNode TimepointPool::Acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      TimepointNode node = std::move(free_.back());
      free_.pop_back();
      return node;
    }
    // Room for the new node to come back to, so that Recycle() takes no memory. Cheap: there is nothing to move.
    if (made_ >= free_.capacity() && made_ < kMaxFree) free_.reserve(std::max<size_t>(64, made_ * 2));
    ++made_;
  }
  return NewNode();
}

void TimepointPool::Recycle(TimepointNode* nodes, size_t count) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t kept = std::min(count, free_.capacity() - free_.size());
  free_.insert(free_.end(), std::move_iterator(nodes), std::move_iterator(nodes + kept));
  made_ -= count - kept;  // those are freed with the caller's array
}

void TimepointQueue::Add(TimepointKey key, Timepoint timepoint) {
  if (count_ == 0 || key > At(count_ - 1).key) {
    AddToRing({key, timepoint});
    return;
  }
  TimepointNode node = TimepointPool::Get().Acquire();
  node.key() = key;
  node.mapped() = timepoint;
  map_.insert(std::move(node));
}

void TimepointQueue::AddToRing(const TimepointEntry& entry) {
  if (count_ == ring_.size()) MakeRoom();
  At(count_) = entry;
  ++count_;
}

// Drops what was removed; doubles the ring only if that does not help much.
void TimepointQueue::MakeRoom() {
  const bool enough = removed_ > count_ / 2;
  HostVector<TimepointEntry> ring(enough ? ring_.size() : std::max<size_t>(8, ring_.size() * 2));
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).timepoint.callback) ring[kept++] = At(i);
  }
  ring_.swap(ring);
  first_ = removed_ = 0;
  count_ = kept;
}

bool TimepointQueue::Remove(TimepointKey key, Timepoint* out_timepoint) {
  return RemoveFromRing(key, out_timepoint) || RemoveFromMap(key, out_timepoint);
}

bool TimepointQueue::RemoveFromRing(TimepointKey key, Timepoint* out_timepoint) {
  size_t low = 0;
  for (size_t high = count_; low < high;) {
    const size_t middle = (low + high) / 2;
    if (At(middle).key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == count_ || At(low).key != key || !At(low).timepoint.callback) return false;
  *out_timepoint = At(low).timepoint;
  At(low).timepoint.callback = nullptr;
  ++removed_;
  TrimRing();
  return true;
}

void TimepointQueue::TrimRing() {
  while (count_ > 0 && !At(count_ - 1).timepoint.callback) {
    --count_;
    --removed_;
  }
  while (count_ > 0 && !At(0).timepoint.callback) {
    first_ = Wrap(first_ + 1);
    --count_;
    --removed_;
  }
}

bool TimepointQueue::RemoveFromMap(TimepointKey key, Timepoint* out_timepoint) {
  TimepointNode node = map_.extract(key);
  if (node.empty()) return false;
  *out_timepoint = node.mapped();
  TimepointPool::Get().Recycle(&node, 1);
  return true;
}

uint64_t TimepointQueue::Earliest() const {
  const uint64_t in_ring = count_ > 0 ? At(0).key.value : UINT64_MAX;
  return map_.empty() ? in_ring : std::min(in_ring, map_.begin()->first.value);
}

bool TimepointQueue::HasDue(uint64_t value) const {
  return (count_ > 0 && At(0).key.value <= value) || (!map_.empty() && map_.begin()->first.value <= value);
}

size_t TimepointQueue::TakeDue(uint64_t value, std::span<TimepointEntry> out) {
  return map_.empty() ? TakeFromRing(value, out) : TakeFromBoth(value, out);
}

void TimepointQueue::DropFirst() {
  first_ = Wrap(first_ + 1);
  --count_;
  TrimRing();
}

size_t TimepointQueue::TakeFromRing(uint64_t value, std::span<TimepointEntry> out) {
  size_t taken = 0;
  while (taken < out.size() && count_ > 0 && At(0).key.value <= value) {
    out[taken++] = At(0);
    DropFirst();
  }
  return taken;
}

size_t TimepointQueue::TakeFromBoth(uint64_t value, std::span<TimepointEntry> out) {
  std::array<TimepointNode, 32> nodes;
  size_t node_count = 0;
  size_t taken = 0;
  while (taken < out.size() && node_count < nodes.size() && HasDue(value)) {
    if (map_.empty() || (count_ > 0 && At(0).key < map_.begin()->first)) {
      out[taken++] = At(0);
      DropFirst();
    } else {
      nodes[node_count] = map_.extract(map_.begin());
      out[taken++] = {nodes[node_count].key(), nodes[node_count].mapped()};
      ++node_count;
    }
  }
  if (node_count > 0) TimepointPool::Get().Recycle(nodes.data(), node_count);
  return taken;
}

}  // namespace halyard
