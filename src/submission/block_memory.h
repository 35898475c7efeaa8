// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts and caches the memory blocks of a device's buffers, and keeps a block while submitted work uses it.
#ifndef HALYARD_SUBMISSION_BLOCK_MEMORY_H_
#define HALYARD_SUBMISSION_BLOCK_MEMORY_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/memory_counter.h"
#include "halyard/allocator.h"
#include "submission/block_cache.h"
#include "submission/queue_point.h"

namespace halyard {

class SubmissionDevice;

/// The memory of one buffer. A driver derives from it.
struct MemoryBlock : HostObject {
  virtual ~MemoryBlock() = default;
};

/// The properties that a block must have.
struct BlockRequest {
  uint32_t kind = 0;       ///< the driver's number for a kind of memory
  uint64_t length = 0;     ///< bytes
  uint64_t alignment = 0;  ///< bytes; 0 for the alignment that every block has
  bool cached = false;     ///< may be cached: any cached block of that length suits
};

/// The memory of one device. A driver derives from it and makes the blocks. Thread-safe.
class BlockMemory {
 public:
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  /// Allocates a block now. The caller owns the block until Free().
  Status Allocate(const BlockRequest& request, MemoryBlock** out_block);
  /// Frees memory that the device no longer uses.
  void Free(MemoryBlock* block, uint64_t length) noexcept;

  /// @name Queue allocations
  /// No call waits for the device.
  /// @{
  /// Gets memory for an operation that must run after `*after`. If a cached block suits, `*after` may become a later
  /// submission (see BlockCache). Otherwise the block is new.
  Status Acquire(const BlockRequest& request, hal_queue_mask_t queues, QueuePoint* after, MemoryBlock** out_block);
  /// Frees memory that the device may use until `after` is completed. The block is cached for the next queue
  /// allocation, or returned to the system once `after` is completed.
  void FreeAfter(const BlockRequest& request, MemoryBlock* block, QueuePoint after) noexcept;
  /// @}

  /// Frees the cached blocks.
  void Trim() noexcept { static_cast<void>(FreeUnused()); }
  hal_allocator_statistics_t Statistics() const { return counter_.Statistics(); }
  uint64_t capacity() const { return counter_.capacity(); }
  uint64_t available() const { return counter_.left(); }
  SubmissionDevice& device() const { return device_; }

 protected:
  /// @param capacity  bytes that buffers have altogether at most
  /// @param cached    bytes that are cached at most
  BlockMemory(SubmissionDevice& device, uint64_t capacity, uint64_t cached);
  /// The derived destructor must have called DropAll().
  ~BlockMemory() = default;

  /// Makes a block; RESOURCE_EXHAUSTED if the system has none.
  virtual Status MakeBlock(const BlockRequest& request, MemoryBlock** out_block) = 0;
  /// Frees a block that the device no longer uses.
  virtual void DropBlock(MemoryBlock* block) noexcept { delete block; }
  /// Frees all blocks that no buffer has. All work that used memory must be completed, and the queues closed.
  void DropAll() noexcept;

 private:
  /// Memory that is freed once a submission is completed.
  struct Dying {
    MemoryBlock* block;
    uint64_t length;
    QueuePoint after;
  };

  /// Whether the reserved bytes fit into the capacity beside cached and dying blocks.
  bool HasRoom() const { return counter_.in_use() + unowned_.load(std::memory_order_relaxed) <= counter_.capacity(); }
  Status MakeRoom(uint64_t length);
  static Dying ToDying(const BlockCache::Block& block);
  void End(const Dying& dying) noexcept;
  bool IsCompleted(QueuePoint point) const;
  void KeepUntil(const Dying& dying) noexcept;
  /// Frees the dying blocks whose submissions are completed. Returns whether there were any.
  bool Reap() noexcept;
  bool EmptyCache() noexcept;
  bool FreeUnused() noexcept;

  SubmissionDevice& device_;
  MemoryCounter counter_;
  BlockCache cache_;
  std::atomic<uint64_t> unowned_{0};  // bytes that no buffer has: cached, or used until a submission is completed
  std::mutex dying_mutex_;            // protects what follows; a leaf
  HostVector<Dying> dying_;
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_BLOCK_MEMORY_H_
