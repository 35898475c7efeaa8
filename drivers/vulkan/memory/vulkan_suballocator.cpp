// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/memory/vulkan_suballocator.h"

namespace halyard::vulkan {

Status VulkanSuballocator::AllocateMemory(uint32_t type, bool mapped, uint64_t length, OwnedMemory* out_memory,
                                          char** out_mapped) {
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = length;
  info.memoryTypeIndex = type;
  HAL_TRY(HAL_VK(context_.vk(), AllocateMemory, context_.device(), &info, nullptr, out_memory->out(context_)));
  if (!mapped) return kOk;
  void* address = nullptr;
  HAL_TRY(HAL_VK(context_.vk(), MapMemory, context_.device(), out_memory->get(), 0, VK_WHOLE_SIZE, 0, &address));
  *out_mapped = static_cast<char*>(address);
  return kOk;
}

Status VulkanSuballocator::Allocate(uint32_t type, bool mapped, uint64_t length, uint64_t, Allocation* out) {
  OwnedMemory memory;
  char* address = nullptr;
  HAL_TRY(AllocateMemory(type, mapped, length, &memory, &address));
  *out = {this, memory.release(), 0, address};
  return kOk;
}

void VulkanSuballocator::Free(const Allocation& allocation) noexcept {
  context_.vk().FreeMemory(context_.device(), allocation.memory, nullptr);
}

}  // namespace halyard::vulkan
