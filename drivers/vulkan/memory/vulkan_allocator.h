// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of a Vulkan device.
#ifndef HALYARD_VULKAN_MEMORY_VULKAN_ALLOCATOR_H_
#define HALYARD_VULKAN_MEMORY_VULKAN_ALLOCATOR_H_

#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "halyard/driver_api.h"
#include "vulkan/memory/vulkan_buffer.h"

namespace halyard::vulkan {

/// One heap for each kind of memory that the device has.
class VulkanAllocator final : public hal_allocator_t {
 public:
  explicit VulkanAllocator(VulkanMemory& memory);

  Status QueryHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status QueryStatistics(hal_allocator_statistics_t* out_statistics);
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
    return AllocateNow<VulkanBuffer>(*this, *params, length, out_buffer);
  }
  Status Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer);
  Status Trim();

  /// A queue allocation, whose memory comes later.
  Status MakeTransient(const hal_buffer_params_t& params, uint64_t length, VulkanBuffer** out_buffer);

 private:
  Status ImportMemory(const hal_buffer_params_t& params, const hal_external_memory_t& memory, VulkanImport* out);

  VulkanMemory& memory_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_MEMORY_VULKAN_ALLOCATOR_H_
