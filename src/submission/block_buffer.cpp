// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/block_buffer.h"

namespace halyard {

Status BlockBuffer::Commit() {
  MemoryBlock* block = nullptr;
  HAL_TRY(blocks_.Allocate(Request(), &block));
  SetBlock(block);
  return kOk;
}

Status BlockBuffer::CommitFor(hal_queue_mask_t any_of, QueuePoint* after) {
  MemoryBlock* block = nullptr;
  HAL_TRY(blocks_.Acquire(Request(), any_of, after, &block));
  SetBlock(block);
  return kOk;
}

void BlockBuffer::Decommit() noexcept {
  if (MemoryBlock* const block = TakeBlock()) blocks_.Free(block, Request().length);
}

void BlockBuffer::DecommitAfter(QueuePoint after) noexcept {
  if (MemoryBlock* const block = TakeBlock()) blocks_.FreeAfter(Request(), block, after);
}

}  // namespace halyard
