// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of the null device.
#ifndef HALYARD_DRIVERS_NULL_NULL_ALLOCATOR_H_
#define HALYARD_DRIVERS_NULL_NULL_ALLOCATOR_H_

#include "base/status.h"
#include "driver_kit/memory/host_heap.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"
#include "null/null_buffer.h"

namespace halyard::null {

/// A part of its device: it has no reference count of its own and is never destroyed alone.
/// Replace: HostHeap by the vendor's calls, with a MemoryCounter for each heap that keeps its statistics and bound.
class NullAllocator final : public hal_allocator_t {
 public:
  explicit NullAllocator(const hal_driver_interface_t& tables);

  Status QueryHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status QueryStatistics(hal_allocator_statistics_t* out_statistics);
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer);
  Status Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer);
  /// Gives freed memory that is kept for reuse back to the system.
  Status Trim() {
    heap_.Trim();
    return kOk;
  }

  /// A buffer whose memory comes later, for queue allocations.
  Ref<hal_buffer_t> MakeUncommitted(const hal_buffer_params_t& params, uint64_t length);

 private:
  const hal_buffer_vtable_t* const buffer_vtable_;
  HostHeap heap_;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_ALLOCATOR_H_
