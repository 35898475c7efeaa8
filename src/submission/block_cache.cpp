// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/block_cache.h"

#include <algorithm>

#include "submission/submission_device.h"

namespace halyard {

bool BlockCache::Suits(const Block& block, hal_queue_mask_t queues, const QueuePoint& after) const {
  const QueuePoint& use = block.after;
  if (use.epoch == 0 || device_.queue(use.queue).IsCompleted(use.epoch)) return true;
  return after.epoch != 0 ? after.queue == use.queue : (queues >> use.queue & 1) != 0;
}

bool BlockCache::Acquire(uint64_t length, hal_queue_mask_t queues, QueuePoint* after, uint64_t* out_base) noexcept {
  const std::lock_guard lock(mutex_);
  for (size_t i = count_; i-- > 0;) {  // the last one is likely to be in the device's caches
    if (blocks_[i].length != length || !Suits(blocks_[i], queues, *after)) continue;
    const Block block = Remove(i);
    *out_base = block.base;
    if (block.after.epoch == 0 || device_.queue(block.after.queue).IsCompleted(block.after.epoch)) return true;
    *after = {block.after.queue, std::max(after->epoch, block.after.epoch)};
    return true;
  }
  return false;
}

bool BlockCache::Add(const Block& block, Block* out_oldest) noexcept {
  const std::lock_guard lock(mutex_);
  const bool is_full = count_ == kMost;
  if (is_full) *out_oldest = Remove(0);
  blocks_[count_++] = block;
  bytes_.store(bytes() + block.length, std::memory_order_relaxed);
  return is_full;
}

bool BlockCache::Evict(uint64_t bytes, Block* out) noexcept {
  const std::lock_guard lock(mutex_);
  if (count_ == 0 || this->bytes() <= bytes) return false;
  *out = Remove(0);
  return true;
}

BlockCache::Block BlockCache::Remove(size_t index) noexcept {
  const Block block = blocks_[index];
  std::copy(blocks_.begin() + static_cast<std::ptrdiff_t>(index) + 1,
            blocks_.begin() + static_cast<std::ptrdiff_t>(count_),
            blocks_.begin() + static_cast<std::ptrdiff_t>(index));
  --count_;
  bytes_.store(bytes() - block.length, std::memory_order_relaxed);
  return block;
}

}  // namespace halyard
