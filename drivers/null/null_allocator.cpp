// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_allocator.h"

#include "driver_kit/device/lists.h"

namespace halyard::null {
namespace {

// Replace: the device's memory. The system's own end is enough for the null device.
constexpr uint64_t kUnbounded = INT64_MAX;

}  // namespace

NullAllocator::NullAllocator(const hal_driver_interface_t& tables)
    : hal_allocator_t{}, buffer_vtable_(tables.buffer), heap_(kUnbounded) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, tables.allocator);
}

// Replace: one for each kind of memory, the best for kernels first. `memory_type` is all that a heap's memory is.
Status NullAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  const hal_memory_heap_t heap = heap_.Describe();
  return WriteList<hal_memory_heap_t>({&heap, 1}, count, heaps);
}

Status NullAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = heap_.Statistics();
  return kOk;
}

// Replace: choose the heap by params.memory_type and params.usage; INCOMPATIBLE if none has them. Any memory will do
// here, since the host's is everything at once.
Ref<hal_buffer_t> NullAllocator::MakeUncommitted(const hal_buffer_params_t& params, uint64_t length) {
  return Ref<hal_buffer_t>::Adopting(
      new NullBuffer(buffer_vtable_, heap_, length, params.alignment, /*transient=*/true));
}

Status NullAllocator::Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
  Ref<hal_buffer_t> buffer = MakeUncommitted(*params, length);
  HAL_TRY(static_cast<NullBuffer*>(buffer.get())->storage().Commit());
  *out_buffer = buffer.release();
  return kOk;
}

// Replace: register host memory with the device; pass through what is an address of the device already.
Status NullAllocator::Import(const hal_buffer_params_t*, const hal_external_memory_t* memory,
                             hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  HAL_TRY(HostStorage::CanImport(*memory));
  *out_buffer = new NullBuffer(buffer_vtable_, *memory, release, user_data);
  return kOk;
}

}  // namespace halyard::null
