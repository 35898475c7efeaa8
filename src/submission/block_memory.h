// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a device whose buffers are blocks that the driver makes: counted, cached between queue allocations, and
// kept while submitted work uses it.
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

/// A piece of memory that a buffer has. A driver derives from it.
struct MemoryBlock : HostObject {
  virtual ~MemoryBlock() = default;
};

/// What is asked of a block.
struct BlockRequest {
  uint32_t kind = 0;       ///< the driver's number for a kind of memory
  uint64_t length = 0;     ///< bytes
  uint64_t alignment = 0;  ///< bytes; 0 for what blocks have anyway
  bool cached = false;     ///< any block of that length that is asked for so will do
};

/// A driver derives from it and makes the blocks. Thread-safe.
class BlockMemory {
 public:
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  /// Memory now. The block is the caller's, until Free().
  Status Allocate(const BlockRequest& request, MemoryBlock** out_block);
  /// Frees memory that the device no longer uses.
  void Free(MemoryBlock* block, uint64_t length) noexcept;

  /// @name Queue allocations
  /// No call waits for the device.
  /// @{
  /// Memory for an operation that comes after `*after`: cached if there is some, and then `*after` may become a later
  /// submission (see BlockCache); else new.
  Status Acquire(const BlockRequest& request, hal_queue_mask_t queues, QueuePoint* after, MemoryBlock** out_block);
  /// Frees memory that is used until a submission is completed: for the next queue allocation, or for the system then.
  void FreeAfter(const BlockRequest& request, MemoryBlock* block, QueuePoint after) noexcept;
  /// @}

  /// Frees what is cached.
  void Trim() noexcept { static_cast<void>(FreeUnused()); }
  hal_allocator_statistics_t Statistics() const { return counter_.Statistics(); }
  uint64_t capacity() const { return counter_.capacity(); }
  uint64_t available() const { return counter_.left(); }

 protected:
  /// @param capacity  bytes that buffers have altogether at most
  /// @param cached    bytes that are cached at most
  BlockMemory(SubmissionDevice& device, uint64_t capacity, uint64_t cached);
  /// The derived destructor has called DropAll().
  ~BlockMemory() = default;

  /// Makes a block; RESOURCE_EXHAUSTED if the system has none.
  virtual Status MakeBlock(const BlockRequest& request, MemoryBlock** out_block) = 0;
  /// Frees a block that the device no longer uses.
  virtual void DropBlock(MemoryBlock* block) noexcept { delete block; }
  /// Frees what no buffer has. All that used memory is completed, and the queues are closed.
  void DropAll() noexcept;

 private:
  /// Memory that goes once a submission is completed.
  struct Dying {
    MemoryBlock* block;
    uint64_t length;
    QueuePoint after;
  };

  /// Whether memory for reserved bytes can be had beside what is cached or still dying.
  bool HasRoom() const { return counter_.in_use() + unowned_.load(std::memory_order_relaxed) <= counter_.capacity(); }
  Status MakeRoom(uint64_t length);
  void End(const Dying& dying) noexcept;
  bool IsCompleted(QueuePoint point) const;
  void KeepUntil(const Dying& dying) noexcept;
  /// Frees what has become free. Whether there was any.
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
