// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A little memory of the process for what must not fail when the host has none.
#ifndef HALYARD_BASE_RESERVE_H_
#define HALYARD_BASE_RESERVE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace halyard {

/// 64 blocks of `kSize` bytes each, aligned as memory of malloc() is. Thread-safe; takes no lock.
template <size_t kSize>
class Reserve {
 public:
  /// NULL if `size` is more than a block has, or if all are taken.
  void* Take(size_t size) noexcept {
    if (size > kSize) return nullptr;
    uint64_t taken = taken_.load(std::memory_order_relaxed);
    while (taken != UINT64_MAX) {
      const uint64_t lowest_free = ~taken & (taken + 1);
      if (taken_.compare_exchange_weak(taken, taken | lowest_free, std::memory_order_acquire)) {
        return blocks_[static_cast<size_t>(__builtin_ctzll(lowest_free))].data();
      }
    }
    return nullptr;
  }

  /// Gives a block back; false if `memory` is none.
  bool Return(const void* memory) noexcept {
    const std::less<> before;
    if (before(memory, static_cast<const void*>(&blocks_)) || !before(memory, static_cast<const void*>(&blocks_ + 1))) {
      return false;
    }
    const auto offset = static_cast<size_t>(static_cast<const char*>(memory) - blocks_.front().data());
    taken_.fetch_and(~(UINT64_C(1) << (offset / kSize)), std::memory_order_release);
    return true;
  }

 private:
  static_assert(kSize % alignof(std::max_align_t) == 0);
  static constexpr size_t kBlocks = 64;

  alignas(std::max_align_t) std::array<std::array<char, kSize>, kBlocks> blocks_{};
  std::atomic<uint64_t> taken_{0};  // one bit for each block
};

}  // namespace halyard

#endif  // HALYARD_BASE_RESERVE_H_
