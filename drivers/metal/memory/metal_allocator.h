// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of a Metal device.
#ifndef HALYARD_METAL_MEMORY_METAL_ALLOCATOR_H_
#define HALYARD_METAL_MEMORY_METAL_ALLOCATOR_H_

#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "halyard/driver_api.h"
#include "metal/memory/metal_buffer.h"

namespace halyard::metal {

/// One heap for each kind of memory that the device has.
class MetalAllocator final : public hal_allocator_t {
 public:
  explicit MetalAllocator(MetalMemory& memory);

  Status QueryHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status QueryStatistics(hal_allocator_statistics_t* out_statistics);
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
    return AllocateNow<MetalBuffer>(*this, *params, length, out_buffer);
  }
  Status Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer);
  Status Trim();

  /// A queue allocation, whose memory comes later.
  Status MakeTransient(const hal_buffer_params_t& params, uint64_t length, MetalBuffer** out_buffer);

 private:
  Status ImportHost(const hal_external_memory_t& memory, ImportedMemory* out);
  Status ImportBuffer(const hal_external_memory_t& memory, MemoryKind* out_kind, ImportedMemory* out);

  MetalMemory& memory_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_MEMORY_METAL_ALLOCATOR_H_
