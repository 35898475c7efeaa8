// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's own memory as the heap of a device.
#ifndef HALYARD_DRIVER_KIT_MEMORY_HOST_HEAP_H_
#define HALYARD_DRIVER_KIT_MEMORY_HOST_HEAP_H_

#include "base/status.h"
#include "driver_kit/memory/kept_memory.h"
#include "driver_kit/memory/memory_counter.h"
#include "halyard/allocator.h"

namespace halyard {

/// Takes memory from the system, counted and bounded. Keeps up to 16 freed blocks of 1 MiB at most, which are not
/// counted, for allocations of the same size. Thread-safe.
class HostHeap {
 public:
  /// Every allocation starts at a multiple of it: a cache line, and enough for the widest vector registers.
  static constexpr uint64_t kMinAlignment = 64;
  /// The host's memory is everything at once.
  static constexpr hal_memory_type_t kMemoryType = HAL_MEMORY_TYPE_ALL;

  explicit HostHeap(uint64_t capacity) : counter_(capacity) {}

  /// `length` bytes aligned to `alignment`, a power of two or 0. Contents are undefined. RESOURCE_EXHAUSTED.
  Status Allocate(uint64_t length, uint64_t alignment, char** out);
  void Free(char* memory, uint64_t length);
  /// Gives kept blocks back to the system.
  void Trim() noexcept { kept_.Trim(); }

  hal_memory_heap_t Describe() const;
  hal_allocator_statistics_t Statistics() const { return counter_.Statistics(); }

 private:
  MemoryCounter counter_;
  KeptMemory kept_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_MEMORY_HOST_HEAP_H_
