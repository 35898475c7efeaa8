// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer of a Vulkan device.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_BUFFER_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_BUFFER_H_

#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"
#include "submission/block_buffer.h"
#include "vulkan/memory/vulkan_memory.h"

namespace halyard::vulkan {

/// Memory that a buffer was given by the application.
struct ImportedMemory {
  std::unique_ptr<VulkanBlock> block;
  ImportRelease release;
};

/// A VkBuffer with its memory: owned, given by the application, or yet to come.
class VulkanBuffer final : public hal_buffer_t, public BlockBuffer, public HostObject {
 public:
  /// Without memory yet.
  VulkanBuffer(VulkanMemory& owner, uint32_t kind, uint64_t size, uint64_t alignment);
  /// Takes over `memory`, which no statistics count.
  VulkanBuffer(VulkanMemory& owner, hal_memory_type_t type, uint64_t size, ImportedMemory memory);
  ~VulkanBuffer();

  bool has_memory() const override { return block() != nullptr; }
  /// NULL while there is no memory.
  const VulkanBlock* block() const { return block_.load(std::memory_order_acquire); }
  /// Two VkBuffers with the same memory count as different memory.
  MemoryPlace place() const {
    return transient() ? MemoryPlace::Alone(*this) : MemoryPlace{block()->buffer.get(), block()->offset};
  }
  bool host_visible() const { return (memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) != 0; }
  /// A byte for the host; NULL if the host cannot reach it, or there is no memory.
  char* HostPointer(uint64_t offset) const;

  Status Map(hal_map_access_t access, uint64_t offset, uint64_t size, void** out_pointer);
  Status Unmap() { return kOk; }
  Status Flush(uint64_t offset, uint64_t size);
  Status Invalidate(uint64_t offset, uint64_t size);
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory);

 private:
  Status ExportHandle(VkExternalMemoryHandleTypeFlagBits type, hal_external_memory_t* out_memory);
  BlockRequest Request() const override;
  void SetBlock(MemoryBlock* block) noexcept override;
  MemoryBlock* TakeBlock() noexcept override;

  VulkanMemory& memory_;
  const uint32_t kind_;       // of what is not imported
  const uint64_t length_;     // bytes
  const uint64_t alignment_;  // bytes; 0 for what memory has anyway
  bool imported_ = false;     // as the next, set before any other thread has the buffer
  ImportedMemory import_;
  std::atomic<VulkanBlock*> block_{nullptr};
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_BUFFER_H_
