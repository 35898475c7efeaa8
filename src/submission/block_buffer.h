// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer whose memory is a block (see block_memory.h).
#ifndef HALYARD_SUBMISSION_BLOCK_BUFFER_H_
#define HALYARD_SUBMISSION_BLOCK_BUFFER_H_

#include "base/status.h"
#include "submission/block_memory.h"
#include "submission/queue_point.h"

namespace halyard {

/// A driver's buffer derives from it. It gets memory once, now or from a queue operation, and loses it to another one.
class BlockBuffer {
 public:
  /// Whether its memory comes with a queue_alloca, some time after the buffer.
  bool transient() const { return transient_; }
  void set_transient() { transient_ = true; }

  virtual bool has_memory() const = 0;
  /// Gets memory now.
  Status Commit();
  /// Gets memory for an operation that must run after `*after`; see BlockMemory::Acquire().
  Status CommitFor(hal_queue_mask_t any_of, QueuePoint* after);
  /// Frees memory that the device no longer uses, if there is any.
  void Decommit() noexcept;
  /// Frees the memory, which is used until `after` is completed.
  void DecommitAfter(QueuePoint after) noexcept;

 protected:
  explicit BlockBuffer(BlockMemory& memory) : blocks_(memory) {}
  ~BlockBuffer() = default;

  virtual BlockRequest Request() const = 0;
  virtual void SetBlock(MemoryBlock* block) noexcept = 0;
  /// The block, which the buffer has no more; NULL if there is none.
  virtual MemoryBlock* TakeBlock() noexcept = 0;

 private:
  BlockMemory& blocks_;
  bool transient_ = false;  // set before any other thread has the buffer
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_BLOCK_BUFFER_H_
