// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a Vulkan device's buffers get their bytes from.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/allocator.h"
#include "halyard/vulkan_interop.h"
#include "submission/block_memory.h"
#include "vulkan/memory/vulkan_suballocator.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/native/vulkan_options.h"

namespace halyard::vulkan {

/// A buffer of Vulkan's with its memory.
struct VulkanBlock final : MemoryBlock {
  ~VulkanBlock() override;

  OwnedBuffer buffer;
  bool is_wrapped = false;  ///< the buffer is the application's, which destroys it
  Allocation memory;        ///< without a source for memory that is not divided
  OwnedMemory own;          ///< such memory, unless the application frees it
  uint32_t type = 0;        ///< Vulkan's number of the memory's type
  uint64_t size = 0;        ///< bytes of the buffer
  VkBufferUsageFlags usage = kBufferUsage;
  VkExternalMemoryHandleTypeFlags exported = 0;  ///< how the memory can be exported
  uint64_t allocation_size = 0;                  ///< bytes of such memory
  bool is_dedicated = false;                     ///< such memory is for this buffer only
  uint64_t offset = 0;                           ///< bytes; where what was asked for begins in the buffer
  uint64_t address = 0;                          ///< that byte for kernels
  char* contents = nullptr;                      ///< that byte for the host; NULL if the host cannot reach it
  bool coherent = true;                          ///< the host need not flush
  uint64_t identity = 0;                         ///< no other block ever has it
};

/// A kind of memory: one type of Vulkan's.
struct MemoryKind {
  uint32_t index = 0;            ///< Vulkan's number of the type
  hal_memory_type_t type = 0;    ///< all that it is
  hal_buffer_usage_t usage = 0;  ///< all that buffers of it can be used for
  uint64_t heap_size = 0;        ///< bytes
  uint32_t heap = 0;             ///< Vulkan's number of the heap
  bool exported = false;         ///< each buffer has memory that can be exported
};

/// Memory of the application's, as a buffer.
struct VulkanImport {
  std::unique_ptr<VulkanBlock> block;
  hal_memory_type_t type = 0;  ///< all that the memory is
};

/// The memory of one device. Thread-safe once it is open.
class VulkanMemory final : public BlockMemory {
 public:
  /// Every buffer begins at a multiple of it, in bytes. Devices align more, but what works on the host need not.
  static constexpr uint64_t kMinAlignment = 64;

  VulkanMemory(SubmissionDevice& device, VulkanContext& context, const VulkanOptions& options);
  ~VulkanMemory();

  VulkanContext& context() const { return context_; }
  /// Finds out which types of memory buffers can have.
  Status Open();

  /// Kinds that differ in what they are, in Vulkan's order; those that can be exported come last.
  const HostVector<MemoryKind>& kinds() const { return kinds_; }
  const MemoryKind& kind(uint32_t number) const { return kinds_[number]; }
  /// The number of the kind that has all properties of `type`, and the fewest others.
  Status Choose(hal_memory_type_t type, hal_buffer_usage_t usage, uint32_t* out_number) const;
  /// Bytes that the process can still allocate of each of Vulkan's heaps, as the device says; of a device that does not
  /// say, the largest number.
  std::array<uint64_t, VK_MAX_MEMORY_HEAPS> Budgets() const;
  BlockRequest Request(uint32_t kind, uint64_t length, uint64_t alignment) const;

  /// What empty bindings name where descriptors must name a buffer: a few bytes that hold nothing of anyone's.
  const VulkanBlock& nothing() const { return *nothing_; }

  /// A block that no statistics count, such as staging: coherent memory of the host if there is any.
  Status MakeStaging(uint64_t length, std::unique_ptr<VulkanBlock>* out_block);
  /// A buffer over pages of the application, whose memory begins `offset` bytes behind. INCOMPATIBLE if the device
  /// cannot use them.
  Status ImportPages(void* begin, uint64_t length, uint64_t offset, std::unique_ptr<VulkanBlock>* out_block);
  /// `length` bytes of memory by descriptor, which stays the caller's. INCOMPATIBLE, OUT_OF_RANGE.
  Status ImportDescriptor(const hal_vulkan_memory_t& given, VkExternalMemoryHandleTypeFlagBits type, uint64_t length,
                          VulkanImport* out);
  /// A new descriptor of the memory of a block, which a buffer of that usage has. UNIMPLEMENTED, PERMISSION_DENIED,
  /// FAILED_PRECONDITION.
  Status ExportDescriptor(const VulkanBlock& block, hal_buffer_usage_t usage, VkExternalMemoryHandleTypeFlagBits type,
                          hal_vulkan_memory_t* out) const;
  /// A buffer of the application's. INCOMPATIBLE if the device can use it for nothing.
  Status WrapBuffer(const hal_vulkan_buffer_t& given, VulkanImport* out);
  /// Makes what the host wrote visible to the device, or the reverse. Nothing for coherent memory.
  Status Flush(const VulkanBlock& block, uint64_t offset, uint64_t length) const;
  Status Invalidate(const VulkanBlock& block, uint64_t offset, uint64_t length) const;

 protected:
  Status MakeBlock(const BlockRequest& request, MemoryBlock** out_block) override;

 private:
  // Kernels of the driver move whole words, and fills write them.
  static constexpr uint64_t kPadding = 16;  // bytes
  /// The last multiple that there is for values beyond it.
  static uint64_t RoundUp(uint64_t value, uint64_t multiple) {
    const uint64_t below = value / multiple * multiple;
    return below == value || below > UINT64_MAX - multiple ? below : below + multiple;
  }

  Status MakeNothing();
  Status MakeBuffer(uint64_t length, const void* next, OwnedBuffer* out_buffer, VkMemoryRequirements* out_needs) const;
  Status Fill(uint32_t kind, uint64_t length, uint64_t alignment, VulkanBlock* block);
  Status FillShared(const MemoryKind& kind, uint64_t length, VulkanBlock* block);
  void Describe(VulkanBlock* block, uint64_t alignment);
  /// What was asked for begins `offset` bytes behind.
  static void Advance(VulkanBlock* block, uint64_t offset);
  void AddKinds(uint32_t types, bool exported);
  hal_memory_type_t TypeOf(uint32_t index) const;

  /// @name Memory that is not divided: vulkan_external.cpp
  /// @{
  Status FillExported(const MemoryKind& kind, uint64_t length, VulkanBlock* block);
  Status ChooseImportType(const hal_vulkan_memory_t& given, VkExternalMemoryHandleTypeFlagBits type, uint32_t usable,
                          uint32_t* out_index) const;
  /// Memory of the block's own, with `next` in its chain, bound to the block's buffer.
  Status AllocateOwn(uint64_t size, uint32_t type, const void* next, VulkanBlock* block) const;
  Status MapOwn(VulkanBlock* block) const;
  /// @}

  bool FindKind(hal_memory_type_t type, hal_buffer_usage_t usage, bool exported, uint32_t* out_number) const;
  int Surplus(const MemoryKind& kind, hal_memory_type_t type, hal_buffer_usage_t usage) const;
  VkMappedMemoryRange RangeOf(const VulkanBlock& block, uint64_t offset, uint64_t length) const;

  VulkanContext& context_;
  VulkanSuballocator suballocator_;
  HostVector<MemoryKind> kinds_;
  uint32_t cached_kind_ = 0;
  uint32_t staging_kind_ = 0;
  std::atomic<uint64_t> next_identity_{1};
  std::unique_ptr<VulkanBlock> nothing_;  // goes before the suballocator
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_MEMORY_H_
