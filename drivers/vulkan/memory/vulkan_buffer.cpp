// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_buffer.h"

#include <utility>

#include "submission/submission_device.h"

namespace halyard::vulkan {
VulkanBuffer::VulkanBuffer(VulkanMemory& owner, uint32_t kind, uint64_t size, uint64_t alignment)
    : hal_buffer_t{}, BlockBuffer(owner), memory_(owner), kind_(kind), length_(size), alignment_(alignment) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, owner.device().tables().buffer);
  memory_type = owner.kind(kind).type;
}

VulkanBuffer::VulkanBuffer(VulkanMemory& owner, hal_memory_type_t type, uint64_t size, ImportedMemory memory)
    : VulkanBuffer(owner, 0, size, uint64_t{0}) {
  imported_ = true;
  import_ = std::move(memory);
  memory_type = type;
  block_.store(import_.block.get(), std::memory_order_release);
}

VulkanBuffer::~VulkanBuffer() {
  if (!imported_) {
    Decommit();
    return;
  }
  import_.block.reset();
  // An abandoned device may still use the memory.
  if (!memory_.context().abandoned()) import_.release();
}

BlockRequest VulkanBuffer::Request() const { return memory_.Request(kind_, length_, alignment_); }

void VulkanBuffer::SetBlock(MemoryBlock* block) noexcept {
  block_.store(static_cast<VulkanBlock*>(block), std::memory_order_release);
}

MemoryBlock* VulkanBuffer::TakeBlock() noexcept { return block_.exchange(nullptr, std::memory_order_acq_rel); }

char* VulkanBuffer::HostPointer(uint64_t offset) const {
  const VulkanBlock* const memory = block();
  return memory && memory->contents ? memory->contents + offset : nullptr;
}

Status VulkanBuffer::Map(hal_map_access_t, uint64_t offset, uint64_t, void** out_pointer) {
  *out_pointer = HostPointer(offset);
  return *out_pointer ? kOk : FailWithoutMemory();
}

Status VulkanBuffer::Flush(uint64_t offset, uint64_t size) {
  const VulkanBlock* const memory = block();
  return memory ? memory_.Flush(*memory, offset, size) : FailWithoutMemory();
}

Status VulkanBuffer::Invalidate(uint64_t offset, uint64_t size) {
  const VulkanBlock* const memory = block();
  return memory ? memory_.Invalidate(*memory, offset, size) : FailWithoutMemory();
}

Status VulkanBuffer::ExportHandle(VkExternalMemoryHandleTypeFlagBits type, hal_external_memory_t* out_memory) {
  const VulkanBlock* const memory = block();
  if (!memory) return FailWithoutMemory();
  hal_vulkan_memory_t told = HAL_VULKAN_MEMORY_INIT;
  HAL_TRY(memory_.device().Checked(memory_.ExportDescriptor(*memory, usage, type, &told)));
  out_memory->flags = 0;
  out_memory->handle = static_cast<uint64_t>(told.fd);
  out_memory->length = length_;
  out_memory->offset = told.offset;
  out_memory->allocation_size = told.allocation_size;
  out_memory->dedicated_size = told.dedicated_size;
  out_memory->memory_type_index = told.memory_type_index;
  return kOk;
}

Status VulkanBuffer::ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  const VulkanBlock* const memory = block();
  uint64_t handle = 0;
  switch (type) {
    case HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER:
      if (!host_visible()) {
        return FailWith(HAL_STATUS_UNIMPLEMENTED, "memory that the host cannot reach has no HOST_POINTER");
      }
      handle = reinterpret_cast<uintptr_t>(HostPointer(0));
      break;
    case HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER:
      handle = memory ? memory->address : 0;
      break;
    case HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD:
      return ExportHandle(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, out_memory);
    case HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF:
      return ExportHandle(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, out_memory);
    default:
      return Fail(HAL_STATUS_UNIMPLEMENTED,
                  "memory can be exported as HOST_POINTER, DEVICE_POINTER, HOST_FD, OPAQUE_FD or DMA_BUF, not as type "
                  "%d",
                  static_cast<int>(type));
  }
  return WriteExport(type, handle, length_, out_memory);
}

}  // namespace halyard::vulkan
