// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers in host memory.
#ifndef HALYARD_DRIVERS_LOCAL_LOCAL_BUFFER_H_
#define HALYARD_DRIVERS_LOCAL_LOCAL_BUFFER_H_

#include <atomic>

#include "common/host_heap.h"
#include "common/host_memory.h"
#include "common/status.h"
#include "halyard/driver_api.h"

namespace halyard::local {

/// A buffer that owns its memory, was given it by the application, or waits for its turn to get some.
class LocalBuffer final : public hal_buffer_t, public HostObject {
 public:
  /// A buffer without memory; Commit() gives it some.
  LocalBuffer(const hal_buffer_vtable_t* vtable, HostHeap& heap, const hal_buffer_params_t& params, uint64_t size);
  /// A buffer over memory of the application.
  LocalBuffer(const hal_buffer_vtable_t* vtable, HostHeap& heap, char* imported, uint64_t size,
              hal_memory_release_fn_t release, void* user_data);
  ~LocalBuffer();

  /// Takes memory. At once for an allocation, when its turn comes for a queue allocation.
  Status Commit();
  /// Gives the memory of a queue allocation back.
  void Decommit();

  /// The first byte; NULL while the buffer has no memory.
  char* data() const { return data_.load(std::memory_order_acquire); }

  Status Map(hal_map_access_t access, uint64_t offset, uint64_t size, void** out_pointer);
  Status Unmap() { return kOk; }
  Status Flush(uint64_t offset, uint64_t size);
  Status Invalidate(uint64_t offset, uint64_t size);
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory);

 private:
  Status CheckCommitted() const;

  HostHeap& heap_;
  const uint64_t size_;       // bytes; the head's length is the core's and set later
  const uint64_t alignment_;  // bytes
  std::atomic<char*> data_{nullptr};
  bool owned_ = true;
  hal_memory_release_fn_t release_ = nullptr;  // for imported memory
  void* release_data_ = nullptr;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_LOCAL_BUFFER_H_
