// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_allocator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "driver_kit/device/lists.h"
#include "halyard/vulkan_interop.h"
#include "submission/submission_device.h"
#include "vulkan/memory/vulkan_import.h"

namespace halyard::vulkan {

VulkanAllocator::VulkanAllocator(VulkanMemory& memory) : hal_allocator_t{}, memory_(memory) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, memory.device().tables().allocator);
}

Status VulkanAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  const std::array<uint64_t, VK_MAX_MEMORY_HEAPS> budgets = memory_.Budgets();
  HostVector<hal_memory_heap_t> list;
  for (const MemoryKind& kind : memory_.kinds()) {
    if (kind.exported) continue;  // as another of the same type
    hal_memory_heap_t heap = HAL_INIT(hal_memory_heap_t);
    heap.memory_type = kind.type;
    heap.usage = kind.usage;
    heap.capacity = std::min(kind.heap_size, memory_.capacity());
    heap.available = std::min({heap.capacity, memory_.available(), budgets[kind.heap]});
    heap.max_allocation_size = std::min(heap.capacity, memory_.context().traits().max_buffer_size);
    heap.min_allocation_alignment = VulkanMemory::kMinAlignment;
    list.push_back(heap);
  }
  return WriteList<hal_memory_heap_t>(list, count, heaps);
}

Status VulkanAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = memory_.Statistics();
  return kOk;
}

Status VulkanAllocator::MakeTransient(const hal_buffer_params_t& params, uint64_t length, VulkanBuffer** out_buffer) {
  uint32_t kind = 0;
  HAL_TRY(memory_.Choose(params.memory_type, params.usage, &kind));
  *out_buffer = new VulkanBuffer(memory_, kind, length, params.alignment);
  return kOk;
}

Status VulkanAllocator::ImportMemory(const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                                     VulkanImport* out) {
  switch (static_cast<uint32_t>(memory.type)) {
    case HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER:
      return ImportHost(memory_, params, memory, out);
    case HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER:
      return ImportBuffer(memory_, params, memory, out);
    case HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD:
      return ImportVulkanMemory(memory_, params, memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, out);
    case HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF:
      return ImportVulkanMemory(memory_, params, memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, out);
    case HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD:
      return ImportHandle(memory_, params, memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, out);
    case HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF:
      return ImportHandle(memory_, params, memory, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, out);
    default:
      return Fail(HAL_STATUS_UNIMPLEMENTED,
                  "memory can be imported as HOST_POINTER, HOST_FD, OPAQUE_FD, DMA_BUF, or as what "
                  "halyard/vulkan_interop.h names, not as type 0x%x",
                  static_cast<unsigned>(memory.type));
  }
}

Status VulkanAllocator::Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory,
                               hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  VulkanImport imported;
  HAL_TRY(ImportMemory(*params, *memory, &imported));
  *out_buffer =
      new VulkanBuffer(memory_, imported.type, memory->length, {std::move(imported.block), {release, user_data}});
  return kOk;
}

Status VulkanAllocator::Trim() {
  const Status status = memory_.device().TrimActions();  // whose recordings have memory
  memory_.Trim();
  return status;
}

}  // namespace halyard::vulkan
