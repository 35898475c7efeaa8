// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers in host memory.
#ifndef HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_BUFFER_H_
#define HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_BUFFER_H_

#include <new>
#include <utility>

#include "base/host_memory.h"
#include "base/object_memory.h"
#include "base/status.h"
#include "driver_kit/memory/host_storage.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"

namespace halyard::local {

/// A buffer that owns its memory, was given it by the application, or waits for its turn to get some.
class LocalBuffer final : public hal_buffer_t, public HostObject {
 public:
  /// Takes the vtable, where its memory goes in the end, and what HostStorage is made from.
  template <class... Args>
  LocalBuffer(const hal_buffer_vtable_t* vtable, ObjectMemory& memory, Args&&... storage)
      : hal_buffer_t{}, memory_(memory), storage_(std::forward<Args>(storage)...) {
    hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, vtable);
    memory_type = HostHeap::kMemoryType;
  }

  using HostObject::operator delete;
  static void operator delete(LocalBuffer* self, std::destroying_delete_t) noexcept { self->memory_.Destroy(self); }

  HostStorage& storage() { return storage_; }
  MemoryPlace place() const {
    return storage_.transient() ? MemoryPlace::Alone(*this) : MemoryPlace::At(reinterpret_cast<uintptr_t>(data()));
  }
  /// The first byte; NULL while the buffer has no memory.
  char* data() const { return storage_.data(); }

  Status Map(hal_map_access_t, uint64_t offset, uint64_t, void** out_pointer) {
    return storage_.Map(offset, out_pointer);
  }
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
    return storage_.Export(type, out_memory);
  }

 private:
  ObjectMemory& memory_;  // the allocator's, which lives as long as the device
  HostStorage storage_;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_MEMORY_LOCAL_BUFFER_H_
