// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/block_memory.h"

#include <algorithm>
#include <cinttypes>

#include "submission/submission_device.h"

namespace halyard {
namespace {

uint64_t ToBase(MemoryBlock* block) { return reinterpret_cast<uintptr_t>(block); }
MemoryBlock* FromBase(uint64_t base) { return reinterpret_cast<MemoryBlock*>(static_cast<uintptr_t>(base)); }

}  // namespace

BlockMemory::BlockMemory(SubmissionDevice& device, uint64_t capacity, uint64_t cached)
    : device_(device), counter_(capacity), cache_(device, std::min(capacity / 4, cached)) {}

void BlockMemory::DropAll() noexcept {
  for (BlockCache::Block block; cache_.Evict(0, &block);) DropBlock(FromBase(block.base));
  for (const Dying& dying : dying_) DropBlock(dying.block);
  dying_.clear();
}

// Bytes of live buffers are counted. Memory that is between two of them exists all the same.
Status BlockMemory::MakeRoom(uint64_t length) {
  HAL_TRY(counter_.Reserve(length));
  if (HasRoom()) return kOk;
  Reap();
  if (!HasRoom()) EmptyCache();
  if (HasRoom()) return kOk;
  counter_.Cancel(length);
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
              "%" PRIu64 " bytes do not fit beside %" PRIu64 " in use and %" PRIu64
              " that submitted work still uses, of %" PRIu64,
              length, counter_.in_use(), unowned_.load(std::memory_order_relaxed), counter_.capacity());
}

Status BlockMemory::Allocate(const BlockRequest& request, MemoryBlock** out_block) {
  HAL_TRY(MakeRoom(request.length));
  Status status = MakeBlock(request, out_block);
  // Others take memory of the device as well.
  if (status.code() == HAL_STATUS_RESOURCE_EXHAUSTED && FreeUnused()) {
    status.Ignore();
    status = MakeBlock(request, out_block);
  }
  if (status != kOk) {
    counter_.Cancel(request.length);
    return status;
  }
  counter_.Confirm(request.length);
  return kOk;
}

void BlockMemory::Free(MemoryBlock* block, uint64_t length) noexcept {
  counter_.Free(length);
  DropBlock(block);
}

void BlockMemory::End(const Dying& dying) noexcept {
  unowned_.fetch_sub(dying.length, std::memory_order_relaxed);
  DropBlock(dying.block);
}

Status BlockMemory::Acquire(const BlockRequest& request, hal_queue_mask_t queues, QueuePoint* after,
                            MemoryBlock** out_block) {
  uint64_t base = 0;
  if (request.cached && Succeeds(counter_.Reserve(request.length))) {
    if (cache_.Acquire(request.length, queues, after, &base)) {
      unowned_.fetch_sub(request.length, std::memory_order_relaxed);
      counter_.Confirm(request.length);
      *out_block = FromBase(base);
      return kOk;
    }
    counter_.Cancel(request.length);
  }
  return Allocate(request, out_block);
}

void BlockMemory::FreeAfter(const BlockRequest& request, MemoryBlock* block, QueuePoint after) noexcept {
  counter_.Free(request.length);
  unowned_.fetch_add(request.length, std::memory_order_relaxed);
  if (!request.cached || !cache_.Accepts(request.length)) return KeepUntil({block, request.length, after});
  cache_.Insert({ToBase(block), request.length, after},
                [this](const BlockCache::Block& surplus) { KeepUntil(ToDying(surplus)); });
}

BlockMemory::Dying BlockMemory::ToDying(const BlockCache::Block& block) {
  return {FromBase(block.base), block.length, block.after};
}

bool BlockMemory::IsCompleted(QueuePoint point) const {
  return point.epoch == 0 || device_.queue(point.queue).IsCompleted(point.epoch);
}

void BlockMemory::KeepUntil(const Dying& dying) noexcept {
  Reap();
  if (IsCompleted(dying.after)) return End(dying);
  const std::lock_guard lock(dying_mutex_);
  dying_.push_back(dying);
}

bool BlockMemory::Reap() noexcept {
  bool any = false;
  while (true) {
    Dying one;
    {
      const std::lock_guard lock(dying_mutex_);
      const auto found =
          std::find_if(dying_.begin(), dying_.end(), [&](const Dying& dying) { return IsCompleted(dying.after); });
      if (found == dying_.end()) return any;
      one = *found;
      *found = dying_.back();
      dying_.pop_back();
    }
    End(one);
    any = true;
  }
}

// Blocks that are still in use stay with the dying ones.
bool BlockMemory::EmptyCache() noexcept {
  bool any = false;
  for (BlockCache::Block block; cache_.Evict(0, &block);) {
    const Dying dying = ToDying(block);
    any |= IsCompleted(dying.after);
    KeepUntil(dying);
  }
  return any;
}

bool BlockMemory::FreeUnused() noexcept {
  const bool reaped = Reap();
  return EmptyCache() || reaped;
}

}  // namespace halyard
