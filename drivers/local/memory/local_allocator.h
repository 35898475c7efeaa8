// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of a local device.
#ifndef HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_ALLOCATOR_H_
#define HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_ALLOCATOR_H_

#include <functional>

#include "base/status.h"
#include "driver_kit/memory/host_heap.h"
#include "halyard/driver_api.h"
#include "local/memory/local_buffer.h"

namespace halyard::local {

/// One heap: the host's memory, which is everything at once.
class LocalAllocator final : public hal_allocator_t {
 public:
  /// `trim` frees what the device keeps for operations to come.
  LocalAllocator(const hal_driver_interface_t& tables, uint64_t capacity, std::function<Status()> trim);

  Status QueryHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status QueryStatistics(hal_allocator_statistics_t* out_statistics);
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer);
  Status Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer);
  /// Frees what the device and this keep for what comes.
  Status Trim();

  /// A queue allocation, whose memory comes later.
  LocalBuffer* MakeTransient(const hal_buffer_params_t& params, uint64_t length);

 private:
  template <class... Args>
  LocalBuffer* MakeBuffer(Args&&... storage) {
    return buffers_.Make<LocalBuffer>(buffer_vtable_, buffers_, std::forward<Args>(storage)...);
  }

  const hal_buffer_vtable_t* const buffer_vtable_;
  HostHeap heap_;
  ObjectMemory buffers_;
  const std::function<Status()> trim_;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_ALLOCATOR_H_
