// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queue operations of a device whose buffers are made of blocks (see block_memory.h).
#ifndef HALYARD_SUBMISSION_BLOCK_ACTION_H_
#define HALYARD_SUBMISSION_BLOCK_ACTION_H_

#include "base/status.h"
#include "submission/block_buffer.h"
#include "submission/queue_point.h"
#include "submission/submission_action.h"

namespace halyard {

/// An ALLOCA takes memory without the device. If there is no memory, the ALLOCA is submitted to a lane. It tries again
/// when its predecessors are completed, because they may have freed memory. Host threads run file transfers and host
/// calls.
class BlockAction : public SubmissionAction {
 protected:
  ~BlockAction() = default;

  /// The driver calls it after Capture() and before Defer().
  void Prepare() noexcept;

  bool IsForDevice() const override;
  bool RunWithoutLane(QueuePoint* after) noexcept override;
  Status RunOperation() final;
  bool has_more_stages() const override { return awaits_memory_; }

  /// The buffer of an ALLOCA or DEALLOCA.
  virtual BlockBuffer& block_buffer() const = 0;
  /// A READ or WRITE, on a host thread.
  virtual Status RunIo() = 0;
  /// The driver calls it first in SubmitStage(). RESOURCE_EXHAUSTED if there is no memory.
  Status SubmitMemory();
  /// The driver calls it in EndWork().
  void EndMemory() noexcept;

 private:
  bool TakeMemory(QueuePoint* after) noexcept;

  bool awaits_memory_ = false;  // an ALLOCA that is submitted to a lane before it tries again
  bool frees_at_end_ = false;   // a DEALLOCA with several predecessors
  Failure no_memory_;           // of an ALLOCA
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_BLOCK_ACTION_H_
