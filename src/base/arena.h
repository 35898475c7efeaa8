// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is freed all at once.
#ifndef HALYARD_BASE_ARENA_H_
#define HALYARD_BASE_ARENA_H_

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/host_memory.h"

namespace halyard {

/// A bump allocator for bytes and trivial types. Keeps its first block when cleared. Not synchronised.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (const Block& block : blocks_) HostFree(block.data, block.size, kAlignment);
  }

  /// `size` bytes, aligned to 16.
  void* Allocate(size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (blocks_.empty() || blocks_.back().size - used_ < size) AddBlock(size);
    void* const memory = blocks_.back().data + used_;
    used_ += size;
    return memory;
  }

  /// A copy of a range of trivial objects; NULL for an empty one.
  template <class T>
  T* Copy(const T* data, size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    if (count == 0) return nullptr;
    void* const memory = Allocate(count * sizeof(T));
    std::memcpy(memory, data, count * sizeof(T));
    return static_cast<T*>(memory);
  }

  void Clear() noexcept {
    while (blocks_.size() > 1) {
      HostFree(blocks_.back().data, blocks_.back().size, kAlignment);
      blocks_.pop_back();
    }
    used_ = 0;
  }

 private:
  struct Block {
    char* data;
    size_t size;
  };
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kFirstBlock = 512;
  static constexpr size_t kLargestStep = size_t{64} << 10;

  void AddBlock(size_t size) {
    const size_t step = blocks_.empty() ? kFirstBlock : std::min(blocks_.back().size * 2, kLargestStep);
    const size_t capacity = std::max(size, step);
    blocks_.reserve(blocks_.size() + 1);  // so that nothing throws once the block exists
    blocks_.push_back({static_cast<char*>(HostAllocate(capacity, kAlignment)), capacity});
    used_ = 0;
  }

  HostVector<Block> blocks_;
  size_t used_ = 0;  // bytes of the last block
};

}  // namespace halyard

#endif  // HALYARD_BASE_ARENA_H_
