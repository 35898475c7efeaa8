// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/memory/kept_memory.h"

#include <algorithm>
#include <mutex>

#include "base/object_memory.h"
#include "platform/memory.h"

namespace halyard {

void* KeptMemory::Take(uint64_t size) noexcept {
  const std::lock_guard lock(mutex_);
  for (size_t i = count_; i-- > 0;) {
    if (blocks_[i].size != size) continue;
    void* const memory = blocks_[i].memory;
    --count_;
    for (; i < count_; ++i) blocks_[i] = blocks_[i + 1];
    return memory;
  }
  return nullptr;
}

void KeptMemory::Give(void* memory, uint64_t size) noexcept {
  if (kKeepsFreedMemory && size <= kMaxSize) {
    const std::lock_guard lock(mutex_);
    if (count_ < kMaxBlocks) {
      blocks_[count_++] = {memory, size};
      return;
    }
    // The one that was not asked for in the longest time makes room.
    std::swap(memory, blocks_.front().memory);
    blocks_.front().size = size;
    std::rotate(blocks_.begin(), blocks_.begin() + 1, blocks_.end());
  }
  FreeAligned(memory);
}

void KeptMemory::Trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (; count_ > 0; --count_) FreeAligned(blocks_[count_ - 1].memory);
}

}  // namespace halyard
