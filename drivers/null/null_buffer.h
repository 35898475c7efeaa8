// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of the null driver.
#ifndef HALYARD_DRIVERS_NULL_NULL_BUFFER_H_
#define HALYARD_DRIVERS_NULL_NULL_BUFFER_H_

#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/host_storage.h"
#include "halyard/driver_api.h"

namespace halyard::null {

/// An allocation; the core makes subspans itself. Length, usage and queues are in the head, set by the core.
/// Replace: HostStorage by the device's address and, where the host can reach the memory, the host's. Keep its life:
/// a buffer owns its memory, was lent it by the application, or waits for its turn in a queue to get some.
class NullBuffer final : public hal_buffer_t, public HostObject {
 public:
  /// Takes the vtable, and what HostStorage is made from.
  template <class... Args>
  explicit NullBuffer(const hal_buffer_vtable_t* vtable, Args&&... storage)
      : hal_buffer_t{}, storage_(std::forward<Args>(storage)...) {
    hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, vtable);
    memory_type = HostHeap::kMemoryType;  // all that the memory is, not only what was asked for
  }

  HostStorage& storage() { return storage_; }

  Status Map(hal_map_access_t, uint64_t offset, uint64_t, void** out_pointer) {
    return storage_.Map(offset, out_pointer);
  }
  Status ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
    return storage_.Export(type, out_memory);
  }
  // Replace: Flush() and Invalidate(), for memory that is not HOST_COHERENT, and Unmap(), if there is something to
  // undo.

 private:
  HostStorage storage_;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_BUFFER_H_
