// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/local_buffer.h"

#include <utility>

namespace halyard::local {

LocalBuffer::LocalBuffer(const hal_buffer_vtable_t* vtable, HostHeap& heap, const hal_buffer_params_t& params,
                         uint64_t size)
    : hal_buffer_t{}, heap_(heap), size_(size), alignment_(params.alignment) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, vtable);
  memory_type = HostHeap::kMemoryType;
}

LocalBuffer::LocalBuffer(const hal_buffer_vtable_t* vtable, HostHeap& heap, char* imported, uint64_t size,
                         hal_memory_release_fn_t release, void* user_data)
    : hal_buffer_t{},
      heap_(heap),
      size_(size),
      alignment_(1),
      data_(imported),
      owned_(false),
      release_(release),
      release_data_(user_data) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, vtable);
  memory_type = HostHeap::kMemoryType;
}

LocalBuffer::~LocalBuffer() {
  if (owned_) Decommit();
  if (release_) release_(release_data_);
}

Status LocalBuffer::Commit() {
  char* memory = nullptr;
  if (Status status = heap_.Allocate(size_, alignment_, &memory); status != kOk) return status;
  data_.store(memory, std::memory_order_release);
  return kOk;
}

void LocalBuffer::Decommit() {
  if (char* memory = data_.exchange(nullptr, std::memory_order_acq_rel)) heap_.Free(memory, size_);
}

Status LocalBuffer::CheckCommitted() const {
  if (data()) return kOk;
  return FailWith(HAL_STATUS_FAILED_PRECONDITION,
                  "the buffer has no memory: its queue_alloca has not run yet, or its queue_dealloca has");
}

Status LocalBuffer::Map(hal_map_access_t, uint64_t offset, uint64_t, void** out_pointer) {
  if (Status status = CheckCommitted(); status != kOk) return status;
  *out_pointer = data() + offset;
  return kOk;
}

Status LocalBuffer::Flush(uint64_t, uint64_t) { return CheckCommitted(); }

Status LocalBuffer::Invalidate(uint64_t, uint64_t) { return CheckCommitted(); }

Status LocalBuffer::ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  // To the local device the host's addresses are its own.
  if (type != HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER && type != HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "local buffers can be exported as HOST_POINTER or DEVICE_POINTER, not as %d",
                static_cast<int>(type));
  }
  if (Status status = CheckCommitted(); status != kOk) return status;
  out_memory->type = type;
  out_memory->flags = 0;
  out_memory->handle = reinterpret_cast<uintptr_t>(data());
  out_memory->length = size_;
  return kOk;
}

}  // namespace halyard::local
