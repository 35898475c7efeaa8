// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Freed memory of a heap, for allocations of the same size.
#ifndef HALYARD_DRIVER_KIT_MEMORY_KEPT_MEMORY_H_
#define HALYARD_DRIVER_KIT_MEMORY_KEPT_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/small_mutex.h"

namespace halyard {

/// Keeps the last blocks that were freed, 16 MiB at most. They are from AllocateAligned(). Thread-safe.
class KeptMemory {
 public:
  KeptMemory() = default;
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
  ~KeptMemory() { Trim(); }

  /// A block of exactly `size` bytes; NULL if none is kept.
  void* Take(uint64_t size) noexcept;
  /// Keeps a block of `size` bytes, or frees it.
  void Give(void* memory, uint64_t size) noexcept;
  /// Frees all of them.
  void Trim() noexcept;

 private:
  struct Block {
    void* memory;
    uint64_t size;  // bytes
  };
  static constexpr size_t kMaxBlocks = 16;
  static constexpr uint64_t kMaxSize = uint64_t{1} << 20;  // bytes of one

  SmallMutex mutex_;  // protects what follows; a leaf
  size_t count_ = 0;
  std::array<Block, kMaxBlocks> blocks_{};  // the last one that was freed comes last
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_MEMORY_KEPT_MEMORY_H_
