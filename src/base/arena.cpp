// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/arena.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "base/object_memory.h"

namespace halyard {
namespace {

void FreeBlock(ArenaBlock* block) noexcept { HostFree(block, block->size, ArenaBlock::kAlignment); }

}  // namespace

ArenaBlock* ArenaPool::Take(size_t size) noexcept {
  const std::lock_guard lock(mutex_);
  ArenaBlock*& free = free_[ClassOf(size)];
  if (!free) return nullptr;
  bytes_ -= size;
  return std::exchange(free, free->next);
}

bool ArenaPool::Keep(ArenaBlock* block) noexcept {
  if (!kKeepsFreedMemory || block->size > kLargest || !std::has_single_bit(block->size)) return false;
  if (bytes_ + block->size > kMaxBytes) return false;
  ArenaBlock*& free = free_[ClassOf(block->size)];
  block->next = free;
  free = block;
  bytes_ += block->size;
  return true;
}

void ArenaPool::Give(ArenaBlock* blocks) noexcept {
  ArenaBlock* unused = nullptr;  // freed without the lock
  {
    const std::lock_guard lock(mutex_);
    while (blocks && bytes_ < kMaxBytes) {
      ArenaBlock* const block = std::exchange(blocks, blocks->next);
      if (Keep(block)) continue;
      block->next = unused;
      unused = block;
    }
  }
  for (ArenaBlock* rest : {unused, blocks}) {
    while (rest) FreeBlock(std::exchange(rest, rest->next));
  }
}

void ArenaPool::Trim() noexcept {
  std::array<ArenaBlock*, kClasses> unused{};
  {
    const std::lock_guard lock(mutex_);
    unused.swap(free_);
    bytes_ = 0;
  }
  for (ArenaBlock* blocks : unused) {
    while (blocks) FreeBlock(std::exchange(blocks, blocks->next));
  }
}

void Arena::Free(ArenaBlock* blocks) noexcept {
  if (pool_ && blocks) return pool_->Give(blocks);
  while (blocks) FreeBlock(std::exchange(blocks, blocks->next));
}

void Arena::Use(ArenaBlock* block) noexcept {
  current_ = block;
  used_ = block ? sizeof(ArenaBlock) : 0;
}

void Arena::Clear() noexcept {
  size_t kept = first_ ? first_->size : 0;
  for (ArenaBlock* block = first_; block; block = block->next) {
    kept += block->next ? block->next->size : 0;
    if (kept > kMaxKept) Free(std::exchange(block->next, nullptr));
  }
  Use(first_);
}

/// Goes to a block with room for `size` bytes: one that was kept, or a new one.
void Arena::NextBlock(size_t size) {
  ArenaBlock* last = current_;
  while (last && last->next) {
    last = last->next;
    if (last->size - sizeof(ArenaBlock) >= size) return Use(last);
  }
  ArenaBlock* const block = NewBlock(size);
  (last ? last->next : first_) = block;
  Use(block);
}

/// Twice as large as the one before; what takes more than half of the largest gets what it takes.
ArenaBlock* Arena::NewBlock(size_t size) {
  size += sizeof(ArenaBlock);
  if (size < sizeof(ArenaBlock)) throw std::bad_alloc();
  const size_t step = std::clamp(current_ ? current_->size * 2 : 0, ArenaPool::kSmallest, ArenaPool::kLargest);
  const bool is_shared = size <= ArenaPool::kLargest / 2;
  if (is_shared) size = std::max(step, std::bit_ceil(size));
  if (pool_ && is_shared) {
    if (ArenaBlock* const kept = pool_->Take(size)) {
      kept->next = nullptr;
      return kept;
    }
  }
  return ::new (HostAllocate(size, ArenaBlock::kAlignment)) ArenaBlock{nullptr, size};
}

}  // namespace halyard
