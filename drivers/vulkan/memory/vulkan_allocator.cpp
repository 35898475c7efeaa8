// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_allocator.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <utility>

#include "base/text/flag_words.h"
#include "driver_kit/device/lists.h"
#include "vulkan/device/vulkan_device.h"

namespace halyard::vulkan {
namespace {

// The application's memory, seen from the device.
constexpr hal_memory_type_t kImportedType = HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE |
                                            HAL_MEMORY_TYPE_HOST_COHERENT | HAL_MEMORY_TYPE_HOST_CACHED;

}  // namespace

VulkanAllocator::VulkanAllocator(VulkanDevice& owner) : hal_allocator_t{}, device_(owner) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, owner.tables().allocator);
}

Status VulkanAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  const VulkanMemory& memory = device_.memory();
  HostVector<hal_memory_heap_t> list;
  for (const MemoryKind& kind : memory.kinds()) {
    hal_memory_heap_t heap = HAL_MEMORY_HEAP_INIT;
    heap.memory_type = kind.type;
    heap.usage = kind.usage;
    heap.capacity = std::min(kind.heap_size, memory.capacity());
    heap.available = std::min(heap.capacity, memory.available());
    heap.max_allocation_size = std::min(heap.capacity, device_.traits().max_buffer_size);
    heap.min_allocation_alignment = VulkanMemory::kMinAlignment;
    list.push_back(heap);
  }
  return WriteList<hal_memory_heap_t>(list, count, heaps);
}

Status VulkanAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = device_.memory().Statistics();
  return kOk;
}

Status VulkanAllocator::MakeTransient(const hal_buffer_params_t& params, uint64_t length, VulkanBuffer** out_buffer) {
  uint32_t kind = 0;
  HAL_TRY(device_.memory().Choose(params.memory_type, params.usage, &kind));
  *out_buffer = new VulkanBuffer(device_, kind, length, params.alignment);
  return kOk;
}

Status VulkanAllocator::Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
  VulkanBuffer* made = nullptr;
  HAL_TRY(MakeTransient(*params, length, &made));
  std::unique_ptr<VulkanBuffer> buffer(made);
  HAL_TRY(buffer->Commit());
  *out_buffer = buffer.release();
  return kOk;
}

Status VulkanAllocator::CheckImport(const hal_buffer_params_t& params, const hal_external_memory_t& memory) const {
  if (memory.type != HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "memory can be imported as HOST_POINTER, not as type %d",
                static_cast<int>(memory.type));
  }
  if (!device_.traits().host_memory_import) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "the device lacks VK_EXT_external_memory_host");
  }
  const hal_memory_type_t type =
      kImportedType | (device_.traits().unified_memory ? HAL_MEMORY_TYPE_DEVICE_LOCAL : HAL_MEMORY_TYPE_NONE);
  if ((params.memory_type & ~type) != 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the imported memory has the type %s, not %s", MemoryTypeWords(type).c_str(),
                MemoryTypeWords(params.memory_type).c_str());
  }
  const uint64_t alignment = device_.traits().limits.minStorageBufferOffsetAlignment;
  if ((params.usage & HAL_BUFFER_USAGE_STORAGE) != 0 && memory.handle % alignment != 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the memory begins %" PRIu64 " bytes behind a multiple of %" PRIu64
                ", which the device's binding_alignment asks of usage STORAGE",
                memory.handle % alignment, alignment);
  }
  return kOk;
}

// Vulkan takes whole pages: those around the range, so that any range can be imported.
Status VulkanAllocator::Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory,
                               hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  HAL_TRY(CheckImport(*params, *memory));
  const uint64_t page = std::max<uint64_t>(device_.traits().import_alignment, 1);
  const uint64_t begin = memory->handle / page * page;
  const uint64_t end = (memory->handle + std::max<uint64_t>(memory->length, 1) + page - 1) / page * page;
  ImportedMemory imported;
  HAL_TRY(device_.memory().ImportPages(reinterpret_cast<void*>(static_cast<uintptr_t>(begin)), end - begin,
                                       memory->handle - begin, &imported.block));
  imported.release = release;
  imported.release_data = user_data;
  const hal_memory_type_t type =
      kImportedType | (device_.traits().unified_memory ? HAL_MEMORY_TYPE_DEVICE_LOCAL : HAL_MEMORY_TYPE_NONE);
  *out_buffer = new VulkanBuffer(device_, type, memory->length, std::move(imported));
  return kOk;
}

Status VulkanAllocator::Trim() {
  device_.memory().Trim();
  return device_.TrimActions();
}

}  // namespace halyard::vulkan
