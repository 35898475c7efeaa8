// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of Vulkan in few large pieces, because each piece costs a call of the system and there may be few of them.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/range_allocator.h"
#include "base/status.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

class VulkanSuballocator;
struct MemoryPiece;

/// A range of device memory.
struct Allocation {
  VulkanSuballocator* source = nullptr;
  MemoryPiece* piece = nullptr;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t offset = 0;     ///< bytes
  char* mapped = nullptr;  ///< its first byte for the host; NULL if the host cannot reach it
};

/// Device memory that Vulkan allocated at once.
struct MemoryPiece : HostObject {
  explicit MemoryPiece(uint64_t size) : ranges(size) {}

  uint32_t type = 0;
  OwnedMemory memory;
  char* mapped = nullptr;  ///< for the life of the piece
  bool is_shared = false;  ///< several allocations may lie in it
  RangeAllocator ranges;
};

/// Long ranges have pieces of their own. Of each type one empty piece is kept. Thread-safe.
class VulkanSuballocator {
 public:
  explicit VulkanSuballocator(VulkanContext& context) : context_(context) {}
  VulkanSuballocator(const VulkanSuballocator&) = delete;
  VulkanSuballocator& operator=(const VulkanSuballocator&) = delete;

  /// `length` bytes at a multiple of `alignment`, of a type of Vulkan's. RESOURCE_EXHAUSTED.
  Status Allocate(uint32_t type, uint64_t length, uint64_t alignment, Allocation* out);
  void Free(const Allocation& allocation) noexcept;

 private:
  using Pieces = HostVector<std::unique_ptr<MemoryPiece>>;

  uint64_t SharedSize(uint32_t type) const;
  Status MakePiece(uint32_t type, uint64_t size, std::unique_ptr<MemoryPiece>* out) const;
  /// With mutex_.
  bool AllocateShared(uint32_t type, uint64_t length, uint64_t alignment, Allocation* out);
  bool TakeFrom(MemoryPiece& piece, uint64_t length, uint64_t alignment, Allocation* out);

  VulkanContext& context_;
  std::mutex mutex_;  // protects what follows; held while a shared piece is made
  Pieces pieces_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_SUBALLOCATOR_H_
