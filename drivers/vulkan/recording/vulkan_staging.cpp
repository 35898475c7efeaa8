// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_staging.h"

#include <algorithm>
#include <utility>

#include "base/round_up.h"

namespace halyard::vulkan {

Status VulkanStaging::Take(uint64_t length, uint64_t alignment, StagedBytes* out) {
  uint64_t begin = RoundUp(used_, alignment);
  if (current_ == blocks_.size() || begin + length > blocks_[current_].size) {
    HAL_TRY(NextBlock(length));
    begin = 0;
  }
  used_ = begin + length;
  const VulkanBlock& block = *blocks_[current_].memory;
  *out = {block.buffer.get(), begin, block.contents + begin};
  return kOk;
}

Status VulkanStaging::NextBlock(uint64_t length) {
  while (current_ < blocks_.size()) {
    ++current_;
    used_ = 0;
    if (current_ < blocks_.size() && blocks_[current_].size >= length) return kOk;
  }
  Block block;
  const uint64_t usual = blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kLargestBlock);
  block.size = std::max(usual, length);
  HAL_TRY(memory_.MakeStaging(block.size, &block.memory));
  blocks_.push_back(std::move(block));
  return kOk;
}

Status VulkanStaging::Flush() {
  for (size_t i = 0; i <= current_ && i < blocks_.size(); ++i) {
    HAL_TRY(memory_.Flush(*blocks_[i].memory, 0, i < current_ ? blocks_[i].size : used_));
  }
  return kOk;
}

Status VulkanStaging::Invalidate() {
  for (size_t i = 0; i <= current_ && i < blocks_.size(); ++i) {
    HAL_TRY(memory_.Invalidate(*blocks_[i].memory, 0, i < current_ ? blocks_[i].size : used_));
  }
  return kOk;
}

}  // namespace halyard::vulkan
