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

/// Keeps blocks of device memory that a queue_dealloca freed, for a queue_alloca of the same length. Neither operation
/// needs a vendor call or a submission then. A block remembers the submission that used it last. Thread-safe.
class BlockCache {
 public:
  struct Block {
    uint64_t base = 0;    ///< an address, or another name of the block
    uint64_t length = 0;  ///< bytes
    QueuePoint after;     ///< the next use must run after this submission
  };

  /// @param capacity  the bytes that it holds at most
  BlockCache(const SubmissionDevice& device, uint64_t capacity) : device_(device), capacity_(capacity) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Takes out a block for an operation that must run after `*after`. A block may still be in use on one of `queues`:
  /// then `*after` becomes that submission. Such a block is skipped if `*after` is on another queue, because a lane
  /// would have to join the two. Returns false if no block suits.
  bool Acquire(uint64_t length, hal_queue_mask_t queues, QueuePoint* after, uint64_t* out_base) noexcept;
  /// Whether blocks of that length are cached.
  bool Accepts(uint64_t length) const { return length <= capacity_; }
  /// Adds a block whose length Accepts() allows. Then takes out the oldest blocks until all others have room, and calls
  /// `drop(block)` for each, without the lock.
  template <class Drop>
  void Insert(const Block& block, const Drop& drop) noexcept {
    Block surplus;
    if (Add(block, &surplus)) drop(surplus);
    while (bytes() > capacity_ && Evict(capacity_, &surplus)) drop(surplus);
  }
  /// Takes out the oldest block. Returns false if all blocks together have no more than `bytes`.
  bool Evict(uint64_t bytes, Block* out) noexcept;
  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMost = 64;  // blocks; Acquire() searches all of them

  /// Returns whether it took out the oldest block, because there were too many.
  bool Add(const Block& block, Block* out_oldest) noexcept;
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
