// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of Vulkan in few large pieces.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_

#include <cstdint>

#include "base/status.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

class VulkanSuballocator;

/// A range of device memory.
struct Allocation {
  VulkanSuballocator* source = nullptr;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t offset = 0;     ///< bytes
  char* mapped = nullptr;  ///< its first byte for the host
};

/// Thread-safe.
class VulkanSuballocator {
 public:
  explicit VulkanSuballocator(VulkanContext& context) : context_(context) {}

  /// `length` bytes at a multiple of `alignment`, of a type of Vulkan's; mapped for its life if `mapped`.
  Status Allocate(uint32_t type, bool mapped, uint64_t length, uint64_t alignment, Allocation* out);
  void Free(const Allocation& allocation) noexcept;

 private:
  Status AllocateMemory(uint32_t type, bool mapped, uint64_t length, OwnedMemory* out_memory, char** out_mapped);

  VulkanContext& context_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_
