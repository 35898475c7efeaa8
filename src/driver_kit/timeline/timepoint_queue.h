// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timepoints: callbacks that wait for a value of a timeline. Each timeline has a queue of them.
#ifndef HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_QUEUE_H_
#define HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_QUEUE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "base/host_memory.h"
#include "driver_kit/timeline/timepoint_blocks.h"

namespace halyard {

/// Ordered by value, then by registration. Not synchronised: the timeline's lock protects it.
///
/// Most programs register rising values, so those lie one after the other in a ring, where adding and taking cost a
/// constant and touch memory in order; 100,000 of them cost each what 100 do. A value lower than the ring's last goes
/// into TimepointBlocks. Neither allocates once warm.
class TimepointQueue : public HostObject {
 public:
  /// Adds one. The key's sequence number is larger than any before. May throw, and is as before then.
  void Add(TimepointKey key, Timepoint timepoint);
  /// Removes one; false if it is not here any more.
  bool Remove(TimepointKey key, Timepoint* out_timepoint);
  /// The value of the first to fall due; UINT64_MAX, which is no value of a timeline, if there is none.
  uint64_t Earliest() const;
  /// Whether anything falls due at `value`.
  bool HasDue(uint64_t value) const;
  /// Removes the first timepoints up to `value`, as many as `out` has room for; returns how many.
  size_t TakeDue(uint64_t value, std::span<TimepointEntry> out);

  /// Frees the memory that a crowd has left, if nothing is here any more.
  void Trim() noexcept;

  /// Whether it is empty and holds no more memory than a queue of a few timepoints.
  bool IsAsNew() const { return count_ == 0 && ring_.size() <= kFirstRing && blocks_.holds_nothing(); }

  /// Timepoints that fit into the ring before it grows.
  size_t ring_capacity() const { return ring_.size(); }

 private:
  static constexpr size_t kFirstRing = 8;  // entries

  size_t Wrap(size_t position) const { return position & (ring_.size() - 1); }
  TimepointEntry& At(size_t offset) { return ring_[Wrap(first_ + offset)]; }
  const TimepointEntry& At(size_t offset) const { return ring_[Wrap(first_ + offset)]; }

  void AddToRing(const TimepointEntry& entry);
  void MakeRoom();
  bool RemoveFromRing(TimepointKey key, Timepoint* out_timepoint);
  void TrimRing();
  void DropFirst();
  size_t TakeFromRing(uint64_t value, std::span<TimepointEntry> out);
  size_t TakeFromBoth(uint64_t value, std::span<TimepointEntry> out);

  // A power of two long, or empty; entries first_ … first_ + count_ are in use. One without a callback was removed;
  // the first and the last never are such.
  HostVector<TimepointEntry> ring_;
  size_t first_ = 0;
  size_t count_ = 0;
  size_t removed_ = 0;  // entries in use without a callback
  TimepointBlocks blocks_;
};

/// Queues that no timeline uses. A timeline takes one with its first timepoint and gives it back at its end, so that a
/// timeline that lives as long as one operation allocates nothing once warm. Thread-safe.
class IdleTimepointQueues {
 public:
  struct Giver {
    void operator()(TimepointQueue* queue) const noexcept { Give(queue); }
  };
  using Owned = std::unique_ptr<TimepointQueue, Giver>;

  /// May throw.
  static Owned Take();
  /// Frees what is kept.
  static void TrimIfAny() noexcept;

 private:
  static void Give(TimepointQueue* queue) noexcept;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_QUEUE_H_
