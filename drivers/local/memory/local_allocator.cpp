// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/memory/local_allocator.h"

#include <memory>
#include <utility>

#include "driver_kit/device/lists.h"

namespace halyard::local {

LocalAllocator::LocalAllocator(const hal_driver_interface_t& tables, uint64_t capacity, std::function<Status()> trim)
    : hal_allocator_t{}, buffer_vtable_(tables.buffer), heap_(capacity), trim_(std::move(trim)) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, tables.allocator);
}

Status LocalAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  const hal_memory_heap_t heap = heap_.Describe();
  return WriteList<hal_memory_heap_t>({&heap, 1}, count, heaps);
}

Status LocalAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = heap_.Statistics();
  return kOk;
}

Status LocalAllocator::Trim() {
  buffers_.Trim();
  heap_.Trim();
  return trim_();
}

LocalBuffer* LocalAllocator::MakeTransient(const hal_buffer_params_t& params, uint64_t length) {
  return MakeBuffer(heap_, length, params.alignment, /*transient=*/true);
}

Status LocalAllocator::Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
  std::unique_ptr<LocalBuffer> buffer(MakeBuffer(heap_, length, params->alignment, /*transient=*/false));
  HAL_TRY(buffer->storage().Commit());
  *out_buffer = buffer.release();
  return kOk;
}

Status LocalAllocator::Import(const hal_buffer_params_t*, const hal_external_memory_t* memory,
                              hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  HAL_TRY(HostStorage::CanImport(*memory));
  *out_buffer = MakeBuffer(*memory, release, user_data);
  return kOk;
}

}  // namespace halyard::local
