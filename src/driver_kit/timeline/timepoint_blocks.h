// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timepoints in any order: the earliest is at hand, and adding one costs much the same however many there are.
#ifndef HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_BLOCKS_H_
#define HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_BLOCKS_H_

#include <array>
#include <compare>
#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "halyard/semaphore.h"

namespace halyard {

// Batches of these lie on the stack, and are written before they are read: no initialisers.

/// Whom to call when a value is reached.
struct Timepoint {
  hal_timepoint_fn_t callback;
  void* user_data;
};

/// When it falls due. The sequence number keeps equal values in order of registration and makes every key unique, so
/// that a stale cancel finds nothing.
struct TimepointKey {
  uint64_t value;
  uint64_t sequence;
  auto operator<=>(const TimepointKey&) const = default;  // NOLINT(modernize-use-nullptr): a fault of clang-tidy 14
};

struct TimepointEntry {
  TimepointKey key;
  Timepoint timepoint;
};

/// Room for some timepoints.
struct TimepointBlock : HostObject {
  static constexpr uint32_t kCapacity = 63;  // with `next`, 2 KiB

  TimepointBlock* next;  // of the pool's free ones
  std::array<TimepointEntry, kCapacity> entries;
};

/// Free blocks for all timelines of the process, so that registering allocates nothing once warm. Thread-safe.
class TimepointPool : public HostObject {
 public:
  TimepointPool() = default;
  TimepointPool(const TimepointPool&) = delete;
  TimepointPool& operator=(const TimepointPool&) = delete;
  ~TimepointPool() { Trim(); }

  /// The one of the process.
  static TimepointPool& Get();
  /// Frees what it keeps.
  static void TrimIfAny() noexcept;

  /// A block, from the pool or new. May throw.
  TimepointBlock* Acquire();
  void Recycle(TimepointBlock* block) noexcept;

 private:
  void Trim() noexcept;

  static constexpr size_t kMaxFree = 4096;  // blocks; 8 MiB. Those beyond are freed

  std::mutex mutex_;  // protects what follows; a leaf lock
  TimepointBlock* free_ = nullptr;
  size_t count_ = 0;
};

/// Timepoints by value, then by registration. Not synchronised.
///
/// They lie in blocks, each of which has those between two keys. Only the first block is sorted, because the earliest
/// comes from there. Into any other a timepoint is put at the end, and it is sorted when it becomes the first. So a
/// timepoint that is added touches the list of blocks, which a near cache holds, and one place of one block. Every 31st
/// one moves what the list has of later ones: 32 bytes for 31 timepoints. That is felt from a million on.
class TimepointBlocks {
 public:
  TimepointBlocks() = default;
  TimepointBlocks(const TimepointBlocks&) = delete;
  TimepointBlocks& operator=(const TimepointBlocks&) = delete;
  ~TimepointBlocks();

  bool empty() const { return parts_.empty(); }
  /// The earliest; only if there is one.
  const TimepointEntry& first() const { return parts_.back().block->entries[parts_.back().count - 1]; }

  /// May throw, and is as before then.
  void Add(const TimepointEntry& entry);
  /// Removes one; false if it is not here.
  bool Remove(TimepointKey key, Timepoint* out_timepoint);
  /// Removes the earliest; only if there is one.
  void DropFirst() noexcept;

  /// Frees the list of blocks, if there are none.
  void Trim() noexcept {
    if (empty()) HostVector<Part>().swap(parts_);
  }

  bool holds_nothing() const { return parts_.capacity() == 0; }

  /// Blocks in use.
  size_t block_count() const { return parts_.size(); }

 private:
  struct Part {
    TimepointKey lowest;  // no entry is earlier; {0, 0} of the first part, since all that is earlier goes there
    TimepointBlock* block;
    uint32_t count;  // entries, never 0 outside of Add()
  };

  bool IsFirst(size_t part) const { return part + 1 == parts_.size(); }
  size_t Find(TimepointKey key) const;
  size_t Split(size_t part, TimepointKey key);
  void SortFirst() noexcept;
  void Drop(size_t part) noexcept;
  bool Join(size_t later) noexcept;

  HostVector<Part> parts_;  // the latest at the front, the first at the back
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TIMELINE_TIMEPOINT_BLOCKS_H_
