// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/memory/host_heap.h"

#include <algorithm>
#include <cinttypes>

#include "platform/memory.h"
#include "platform/system_facts.h"

namespace halyard {
namespace {

constexpr uint64_t BlockSize(uint64_t length, uint64_t step) {
  return (std::max<uint64_t>(length, 1) + step - 1) & ~(step - 1);
}

}  // namespace

Status HostHeap::Allocate(uint64_t length, uint64_t alignment, char** out) {
  HAL_TRY(counter_.Reserve(length));
  const uint64_t step = std::max(alignment, kMinAlignment);
  // All that is kept has the least alignment.
  void* memory = step == kMinAlignment ? kept_.Take(BlockSize(length, step)) : nullptr;
  if (!memory) memory = AllocateAligned(BlockSize(length, step), step);
  if (!memory) {
    kept_.Trim();
    memory = AllocateAligned(BlockSize(length, step), step);
  }
  if (!memory) {
    counter_.Cancel(length);
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "the system has no %" PRIu64 " bytes aligned to %" PRIu64, length, step);
  }
  counter_.Confirm(length);
  *out = static_cast<char*>(memory);
  return kOk;
}

void HostHeap::Free(char* memory, uint64_t length) {
  kept_.Give(memory, BlockSize(length, kMinAlignment));
  counter_.Free(length);
}

hal_memory_heap_t HostHeap::Describe() const {
  hal_memory_heap_t heap = HAL_INIT(hal_memory_heap_t);
  heap.memory_type = kMemoryType;
  heap.usage = HAL_BUFFER_USAGE_ALL;
  heap.capacity = counter_.capacity();
  heap.max_allocation_size = counter_.capacity();
  heap.min_allocation_alignment = kMinAlignment;
  heap.available = std::min(counter_.left(), AvailableHostMemory());
  return heap;
}

}  // namespace halyard
