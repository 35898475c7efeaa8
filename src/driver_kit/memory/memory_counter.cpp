// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/memory/memory_counter.h"

#include <cinttypes>

namespace halyard {

Status MemoryCounter::Reserve(uint64_t length) {
  uint64_t in_use = in_use_.load(std::memory_order_relaxed);
  do {
    if (length > capacity_ - in_use) {
      return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
                  "cannot allocate %" PRIu64 " bytes: %" PRIu64 " of the device's %" PRIu64 " bytes are in use", length,
                  in_use, capacity_);
    }
  } while (!in_use_.compare_exchange_weak(in_use, in_use + length, std::memory_order_relaxed));

  uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < in_use + length && !peak_.compare_exchange_weak(peak, in_use + length, std::memory_order_relaxed)) {
  }
  return kOk;
}

void MemoryCounter::Cancel(uint64_t length) { in_use_.fetch_sub(length, std::memory_order_relaxed); }

void MemoryCounter::Confirm(uint64_t length) {
  allocated_.fetch_add(length, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
}

void MemoryCounter::Free(uint64_t length) {
  in_use_.fetch_sub(length, std::memory_order_relaxed);
  freed_.fetch_add(length, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

hal_allocator_statistics_t MemoryCounter::Statistics() const {
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  statistics.bytes_in_use = in_use_.load(std::memory_order_relaxed);
  statistics.bytes_peak = peak_.load(std::memory_order_relaxed);
  statistics.bytes_allocated = allocated_.load(std::memory_order_relaxed);
  statistics.bytes_freed = freed_.load(std::memory_order_relaxed);
  statistics.allocation_count = count_.load(std::memory_order_relaxed);
  return statistics;
}

}  // namespace halyard
