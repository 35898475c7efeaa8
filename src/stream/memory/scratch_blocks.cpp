// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/scratch_blocks.h"

#include <algorithm>
#include <bit>

#include "stream/memory/stream_memory.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kSmallest = uint64_t{64} << 10;  // bytes of a block

}  // namespace

ScratchBlocks::Lease::~Lease() {
  if (context_) context_->memory().ReturnScratch(stream_, address_);
}

Status ScratchBlocks::Lease::Take(StreamContext& context, NativeStream stream, uint64_t length) {
  StreamMemory& memory = context.memory();
  const size_t lane = length <= kMostKept ? context.LaneOf(stream) : StreamContext::kMaxStreams;
  if (lane == StreamContext::kMaxStreams) {
    HAL_TRY(memory.BorrowScratch(stream, length, &address_));
    stream_ = stream;
    context_ = &context;
    return kOk;
  }
  ScratchBlocks& blocks = memory.scratch_blocks();
  Block& block = blocks.blocks_[lane];
  lock_ = std::unique_lock(block.mutex);
  if (block.length < length) HAL_TRY(blocks.Grow(stream, length, &block));
  address_ = block.base;
  return kOk;
}

// The stream frees the former block after the dispatches that use it.
Status ScratchBlocks::Grow(NativeStream stream, uint64_t length, Block* block) {
  const uint64_t size = std::bit_ceil(std::max(length, kSmallest));
  NativeAddress base = 0;
  HAL_TRY(context_.memory().BorrowScratch(stream, size, &base));
  if (block->base != 0) context_.memory().ReturnScratch(stream, block->base);
  block->base = base;
  block->length = size;
  return kOk;
}

template <class StreamOf>
void ScratchBlocks::Free(const StreamOf& stream_of) noexcept {
  for (size_t lane = 0; lane < blocks_.size(); ++lane) {
    Block& block = blocks_[lane];
    const std::lock_guard lock(block.mutex);
    if (block.base != 0) context_.memory().ReturnScratch(stream_of(lane), block.base);
    block.base = 0;
    block.length = 0;
  }
}

void ScratchBlocks::Trim() noexcept {
  Free([this](size_t lane) { return context_.stream(lane); });
}

void ScratchBlocks::TrimOn(NativeStream stream) noexcept {
  Free([stream](size_t) { return stream; });
}

}  // namespace halyard::stream
