// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_staging.h"

#include <algorithm>
#include <utility>

#include "metal/native/metal_calls.h"

namespace halyard::metal {

Status MetalStaging::Take(uint64_t length, uint64_t alignment, StagedBytes* out) {
  uint64_t begin = (used_ + alignment - 1) / alignment * alignment;
  if (!current_.buffer || begin + length > current_.size) {
    HAL_TRY(NextBlock(length));
    begin = 0;
  }
  used_ = begin + length;
  current_.epoch = epoch_;
  *out = {current_.buffer.get(), begin, current_.data + begin};
  return kOk;
}

// Blocks of another size, for long updates, go as soon as they are free.
Status MetalStaging::NextBlock(uint64_t length) {
  if (current_.buffer) full_.push_back(std::move(current_));
  current_ = {};
  used_ = 0;
  while (!full_.empty() && full_.front().epoch <= completed_) {
    Block block = std::move(full_.front());
    full_.erase(full_.begin());
    if (block.size == kBlockSize && length <= kBlockSize) {
      current_ = std::move(block);
      return kOk;
    }
  }
  Block block;
  block.size = std::max(kBlockSize, length);
  HAL_TRY(memory_.MakeUncounted(MemoryKind::kShared, block.size, &block.buffer));
  block.data = static_cast<char*>(Contents(block.buffer.get()));
  current_ = std::move(block);
  return kOk;
}

}  // namespace halyard::metal
