// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the allocators and buffers of devices with several kinds of memory have in common.
#ifndef HALYARD_DRIVER_KIT_MEMORY_BUFFER_PARTS_H_
#define HALYARD_DRIVER_KIT_MEMORY_BUFFER_PARTS_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/allocator.h"
#include "halyard/driver_api.h"

namespace halyard {

/// FAILED_PRECONDITION: a buffer of queue_alloca before or after its life.
Status FailWithoutMemory();
/// INCOMPATIBLE: no kind of memory has all of these.
Status FailToChoose(hal_memory_type_t type, hal_buffer_usage_t usage);

/// The first of `kinds` that the device has, and that has all properties of `type` and `usage`. INCOMPATIBLE.
template <class Memory, class Kinds, class Kind>
Status ChooseKind(const Memory& memory, const Kinds& kinds, hal_memory_type_t type, hal_buffer_usage_t usage,
                  Kind* out_kind) {
  for (const Kind kind : kinds) {
    *out_kind = kind;
    if (memory.Has(kind) && (type & ~memory.TypeOf(kind)) == 0 && (usage & ~memory.UsageOf(kind)) == 0) return kOk;
  }
  return FailToChoose(type, usage);
}

/// A heap as an allocator tells of it. The driver adds what is available and how large an allocation may be.
template <class Memory, class Kind>
hal_memory_heap_t DescribeHeap(const Memory& memory, Kind kind) {
  hal_memory_heap_t heap = HAL_INIT(hal_memory_heap_t);
  heap.memory_type = memory.TypeOf(kind);
  heap.usage = memory.UsageOf(kind);
  heap.capacity = memory.capacity();
  heap.max_allocation_size = memory.capacity();
  heap.min_allocation_alignment = Memory::kMinAlignment;
  return heap;
}

/// A buffer that has its memory now. `allocator.MakeTransient()` makes one without.
template <class Buffer, class Allocator>
Status AllocateNow(Allocator& allocator, const hal_buffer_params_t& params, uint64_t length,
                   hal_buffer_t** out_buffer) {
  Buffer* made = nullptr;
  HAL_TRY(allocator.MakeTransient(params, length, &made));
  std::unique_ptr<Buffer> buffer(made);
  HAL_TRY(buffer->Commit());
  *out_buffer = buffer.release();
  return kOk;
}

/// The buffer of an ALLOCA, whose memory comes later; nothing for other operations.
template <class Buffer, class Allocator>
Status MakeForQueue(Allocator& allocator, const hal_queue_operation_t& operation, Ref<hal_buffer_t>* out_buffer) {
  if (operation.type != HAL_QUEUE_OPERATION_TYPE_ALLOCA) return kOk;
  const hal_queue_alloca_t& request = operation.u.allocate;
  Buffer* made = nullptr;
  HAL_TRY(allocator.MakeTransient(*request.params, request.length, &made));
  made->set_transient();
  *out_buffer = Ref<hal_buffer_t>::Adopting(made);
  return kOk;
}

/// INCOMPATIBLE unless memory of that type and usage, which is imported, serves for `params`.
Status CheckImport(const hal_buffer_params_t& params, hal_memory_type_t type, hal_buffer_usage_t usage);

/// Whom the memory of an imported buffer goes back to.
struct ImportRelease {
  hal_memory_release_fn_t function = nullptr;  ///< may be NULL
  void* data = nullptr;

  void operator()() const noexcept {
    if (function) function(data);
  }
};

/// Tells of exported memory. FAILED_PRECONDITION if `handle` is 0: there is none.
Status WriteExport(hal_external_memory_type_t type, uint64_t handle, uint64_t length,
                   hal_external_memory_t* out_memory);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_MEMORY_BUFFER_PARTS_H_
