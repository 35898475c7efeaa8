// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory between two queue allocations.
#ifndef HALYARD_STREAM_MEMORY_KEPT_BLOCKS_H_
#define HALYARD_STREAM_MEMORY_KEPT_BLOCKS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "halyard/base.h"
#include "stream/native/native_api.h"
#include "submission/queue_point.h"

namespace halyard::stream {

class StreamDevice;

/// Device memory that a queue_dealloca gave back, kept for a queue_alloca of the same length: it goes from one to the
/// other without a call of the native API, and without anything being put into a stream. A block remembers the
/// submission that used it last. Thread-safe.
class KeptBlocks {
 public:
  struct Block {
    NativeAddress base = 0;
    uint64_t length = 0;  ///< bytes
    QueuePoint after;     ///< the submission that the next use must come after
  };

  /// @param most_bytes  that are kept
  KeptBlocks(const StreamDevice& device, uint64_t most_bytes) : device_(device), most_bytes_(most_bytes) {}
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  /// A block for who comes after `*after`. If it is still in use on one of `queues`, `*after` becomes that submission;
  /// on no other queue than that of `*after`, as that would take a stream to join the two. False if there is none.
  bool Take(uint64_t length, hal_queue_mask_t queues, QueuePoint* after, NativeAddress* out_base) noexcept;
  /// Whether blocks of that length are kept.
  bool Keeps(uint64_t length) const { return length <= most_bytes_; }
  /// Keeps a block, of a length that is kept. If there are too many then, the oldest is taken out: true.
  bool Keep(const Block& block, Block* out_surplus) noexcept;
  /// Takes the oldest block out. False if there are no more than `bytes` altogether.
  bool TakeOldest(uint64_t bytes, Block* out) noexcept;
  uint64_t most_bytes() const { return most_bytes_; }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMost = 64;  // blocks; what one looks through each time

  Block Remove(size_t index) noexcept;
  bool Suits(const Block& block, hal_queue_mask_t queues, const QueuePoint& after) const;

  const StreamDevice& device_;
  const uint64_t most_bytes_;
  std::mutex mutex_;  // protects what follows; a leaf
  size_t count_ = 0;
  std::array<Block, kMost> blocks_;  // the oldest first
  std::atomic<uint64_t> bytes_{0};   // written under the lock
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_KEPT_BLOCKS_H_
