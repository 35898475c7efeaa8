// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint_queue.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/object_memory.h"
#include "base/process_wide.h"

namespace halyard {
namespace {

class Idle : public HostObject {
 public:
  Idle() = default;
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle() { Trim(); }

  /// NULL if none is left.
  TimepointQueue* Take() noexcept {
    const std::lock_guard lock(mutex_);
    return count_ == 0 ? nullptr : queues_[--count_];
  }
  bool Keep(TimepointQueue* queue) noexcept {
    const std::lock_guard lock(mutex_);
    if (count_ == queues_.size()) return false;
    queues_[count_++] = queue;
    return true;
  }
  void Trim() noexcept {
    while (TimepointQueue* const queue = Take()) delete queue;
  }

 private:
  static constexpr size_t kMost = 128;

  SmallMutex mutex_;  // protects what follows; a leaf
  size_t count_ = 0;
  std::array<TimepointQueue*, kMost> queues_{};
};

}  // namespace

IdleTimepointQueues::Owned IdleTimepointQueues::Take() {
  if constexpr (kKeepsFreedMemory) {
    if (TimepointQueue* const kept = ProcessWide<Idle>::Get().Take()) return Owned(kept);
  }
  return Owned(new TimepointQueue);
}

void IdleTimepointQueues::Give(TimepointQueue* queue) noexcept {
  Idle* const idle = kKeepsFreedMemory && queue->IsAsNew() ? ProcessWide<Idle>::Find() : nullptr;
  if (!idle || !idle->Keep(queue)) delete queue;
}

void IdleTimepointQueues::TrimIfAny() noexcept {
  if (Idle* const idle = ProcessWide<Idle>::Find()) idle->Trim();
}

void TimepointQueue::Add(TimepointKey key, Timepoint timepoint) {
  if (count_ == 0 || key > At(count_ - 1).key) {
    AddToRing({key, timepoint});
    return;
  }
  blocks_.Add({key, timepoint});
}

void TimepointQueue::AddToRing(const TimepointEntry& entry) {
  if (count_ == ring_.size()) MakeRoom();
  At(count_) = entry;
  ++count_;
}

// Drops what was removed; doubles the ring only if that does not help much.
void TimepointQueue::MakeRoom() {
  const bool enough = removed_ > count_ / 2;
  HostVector<TimepointEntry> ring(enough ? ring_.size() : std::max(kFirstRing, ring_.size() * 2));
  size_t kept = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (At(i).timepoint.callback) ring[kept++] = At(i);
  }
  ring_.swap(ring);
  first_ = removed_ = 0;
  count_ = kept;
}

bool TimepointQueue::Remove(TimepointKey key, Timepoint* out_timepoint) {
  return RemoveFromRing(key, out_timepoint) || blocks_.Remove(key, out_timepoint);
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

uint64_t TimepointQueue::Earliest() const {
  const uint64_t in_ring = count_ > 0 ? At(0).key.value : UINT64_MAX;
  return blocks_.empty() ? in_ring : std::min(in_ring, blocks_.first().key.value);
}

bool TimepointQueue::HasDue(uint64_t value) const {
  return (count_ > 0 && At(0).key.value <= value) || (!blocks_.empty() && blocks_.first().key.value <= value);
}

size_t TimepointQueue::TakeDue(uint64_t value, std::span<TimepointEntry> out) {
  return blocks_.empty() ? TakeFromRing(value, out) : TakeFromBoth(value, out);
}

void TimepointQueue::Trim() noexcept {
  if (count_ > 0 || !blocks_.empty()) return;
  HostVector<TimepointEntry>().swap(ring_);
  first_ = 0;
  blocks_.Trim();
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
  size_t taken = 0;
  while (taken < out.size() && HasDue(value)) {
    if (blocks_.empty() || (count_ > 0 && At(0).key < blocks_.first().key)) {
      out[taken++] = At(0);
      DropFirst();
    } else {
      out[taken++] = blocks_.first();
      blocks_.DropFirst();
    }
  }
  return taken;
}

}  // namespace halyard
