// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches freed device blocks for reuse by queue allocations.
#ifndef HALYARD_SUBMISSION_BLOCK_CACHE_H_
#define HALYARD_SUBMISSION_BLOCK_CACHE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "halyard/base.h"
#include "submission/queue_point.h"

namespace halyard {

class SubmissionDevice;

/// Blocks of device memory that queue_dealloca freed, for a queue_alloca of the same length: a block changes hands
/// without a call of the vendor, and without a submission. A block remembers the submission that used it last.
/// Thread-safe.
class BlockCache {
 public:
  struct Block {
    uint64_t base = 0;    ///< an address, or what else names it
    uint64_t length = 0;  ///< bytes
    QueuePoint after;     ///< the submission that the next use must come after
  };

  /// @param capacity  the bytes that it holds at most
  BlockCache(const SubmissionDevice& device, uint64_t capacity) : device_(device), capacity_(capacity) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Takes a block out for an operation that comes after `*after`. If the block is still in use on one of `queues`,
  /// `*after` becomes that submission; but not if `*after` is on another queue, as a lane would have to join the two.
  /// False if there is none.
  bool Acquire(uint64_t length, hal_queue_mask_t queues, QueuePoint* after, uint64_t* out_base) noexcept;
  /// Whether blocks of that length are cached.
  bool Accepts(uint64_t length) const { return length <= capacity_; }
  /// Adds a block of a length that is accepted. If there are too many then, the oldest is taken out: true.
  bool Insert(const Block& block, Block* out_evicted) noexcept;
  /// Takes the oldest block out. False if there are no more than `bytes` altogether.
  bool Evict(uint64_t bytes, Block* out) noexcept;
  uint64_t capacity() const { return capacity_; }
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMost = 64;  // blocks; what one looks through each time

  Block Remove(size_t index) noexcept;
  bool Suits(const Block& block, hal_queue_mask_t queues, const QueuePoint& after) const;

  const SubmissionDevice& device_;
  const uint64_t capacity_;
  std::mutex mutex_;  // protects what follows; a leaf
  size_t count_ = 0;
  std::array<Block, kMost> blocks_;  // the oldest first
  std::atomic<uint64_t> bytes_{0};   // written under the lock
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_BLOCK_CACHE_H_
