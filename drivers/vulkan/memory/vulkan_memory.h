// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a Vulkan device's buffers get their bytes from.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_

#include <atomic>
#include <cstdint>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/allocator.h"
#include "submission/block_memory.h"
#include "vulkan/device/vulkan_options.h"
#include "vulkan/memory/vulkan_suballocator.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

/// A buffer of Vulkan's with its memory.
struct VulkanBlock final : MemoryBlock {
  ~VulkanBlock() override;

  OwnedBuffer buffer;
  Allocation memory;         ///< without a source for memory of the application
  OwnedMemory imported;      ///< such memory
  uint64_t offset = 0;       ///< bytes; where what was asked for begins in the buffer
  uint64_t address = 0;      ///< that byte for kernels
  char* contents = nullptr;  ///< that byte for the host; NULL if the host cannot reach it
  bool coherent = true;      ///< the host need not flush
  uint64_t identity = 0;     ///< no other block ever has it
};

/// A kind of memory: one type of Vulkan's.
struct MemoryKind {
  uint32_t index = 0;            ///< Vulkan's number of the type
  hal_memory_type_t type = 0;    ///< all that it is
  hal_buffer_usage_t usage = 0;  ///< all that buffers of it can be used for
  uint64_t heap_size = 0;        ///< bytes
};

/// The memory of one device. Thread-safe once it is open.
class VulkanMemory final : public BlockMemory {
 public:
  /// Every buffer begins at a multiple of it, in bytes. Devices align more, but what works on the host need not.
  static constexpr uint64_t kMinAlignment = 64;

  VulkanMemory(SubmissionDevice& device, VulkanContext& context, const VulkanOptions& options);
  ~VulkanMemory();

  /// Finds out which types of memory buffers can have.
  Status Open();

  /// Kinds that differ in what they are, in Vulkan's order.
  const HostVector<MemoryKind>& kinds() const { return kinds_; }
  const MemoryKind& kind(uint32_t number) const { return kinds_[number]; }
  /// The number of the kind that has all properties of `type`, and the fewest others.
  Status Choose(hal_memory_type_t type, hal_buffer_usage_t usage, uint32_t* out_number) const;
  BlockRequest Request(uint32_t kind, uint64_t length, uint64_t alignment) const;

  /// A block that no statistics count, such as staging: coherent memory of the host if there is any.
  Status MakeStaging(uint64_t length, std::unique_ptr<VulkanBlock>* out_block);
  /// A buffer over pages of the application, whose memory begins `offset` bytes behind. INCOMPATIBLE if the device
  /// cannot use them.
  Status ImportPages(void* begin, uint64_t length, uint64_t offset, std::unique_ptr<VulkanBlock>* out_block);
  /// Makes what the host wrote visible to the device, or the reverse. Nothing for coherent memory.
  Status Flush(const VulkanBlock& block, uint64_t offset, uint64_t length) const;
  Status Invalidate(const VulkanBlock& block, uint64_t offset, uint64_t length) const;

 protected:
  Status MakeBlock(const BlockRequest& request, MemoryBlock** out_block) override;

 private:
  Status MakeBuffer(uint64_t length, const void* next, OwnedBuffer* out_buffer, VkMemoryRequirements* out_needs) const;
  Status Fill(uint32_t kind, uint64_t length, uint64_t alignment, VulkanBlock* block);
  void Describe(VulkanBlock* block, uint64_t alignment);
  int Surplus(const MemoryKind& kind, hal_memory_type_t type, hal_buffer_usage_t usage) const;
  VkMappedMemoryRange RangeOf(const VulkanBlock& block, uint64_t offset, uint64_t length) const;

  VulkanContext& context_;
  VulkanSuballocator suballocator_;
  HostVector<MemoryKind> kinds_;
  uint32_t cached_kind_ = 0;
  uint32_t staging_kind_ = 0;
  std::atomic<uint64_t> next_identity_{1};
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_
