// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a heap has handed out.
#ifndef HALYARD_DRIVER_KIT_MEMORY_MEMORY_COUNTER_H_
#define HALYARD_DRIVER_KIT_MEMORY_MEMORY_COUNTER_H_

#include <atomic>
#include <cstdint>

#include "base/status.h"
#include "halyard/allocator.h"

namespace halyard {

/// Counts the bytes of live allocations and keeps them under a capacity. Thread-safe, without locks.
class MemoryCounter {
 public:
  explicit MemoryCounter(uint64_t capacity) : capacity_(capacity) {}

  uint64_t capacity() const { return capacity_; }
  uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  /// Bytes that can still be reserved.
  uint64_t left() const {
    const uint64_t used = in_use();
    return used < capacity_ ? capacity_ - used : 0;
  }

  /// Counts `length` bytes as in use, before they are taken from the system. RESOURCE_EXHAUSTED above the capacity.
  Status Reserve(uint64_t length);
  /// The reserved bytes could not be had after all.
  void Cancel(uint64_t length);
  /// The reserved bytes were had.
  void Confirm(uint64_t length);
  /// Confirmed bytes were freed.
  void Free(uint64_t length);

  hal_allocator_statistics_t Statistics() const;

 private:
  const uint64_t capacity_;  // bytes
  // Each exact on its own; relaxed, since nothing else is ordered by them.
  std::atomic<uint64_t> in_use_{0};
  std::atomic<uint64_t> peak_{0};
  std::atomic<uint64_t> allocated_{0};
  std::atomic<uint64_t> freed_{0};
  std::atomic<uint64_t> count_{0};
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_MEMORY_MEMORY_COUNTER_H_
