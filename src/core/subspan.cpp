// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/public_call.h"
#include "core/validation/buffer_ref.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// A part of an allocation. Only the core knows of it: drivers are given the allocation and an offset.
class Subspan final : public hal_buffer_t, public HostObject {
 public:
  static Status Create(hal_buffer_t* buffer, uint64_t offset, uint64_t length, hal_buffer_t** out_buffer);

 private:
  Subspan(const hal_buffer_t& parent, uint64_t offset, uint64_t bytes);

  static void Destroy(hal_object_t* object) noexcept;
  static const hal_buffer_vtable_t kVtable;
};

// Every other entry is resolved to the allocation before it is called.
const hal_buffer_vtable_t Subspan::kVtable = {
    sizeof(hal_buffer_vtable_t), Subspan::Destroy, nullptr, nullptr, nullptr, nullptr, nullptr};

// Field by field: the counts of the parent may change meanwhile.
Subspan::Subspan(const hal_buffer_t& parent, uint64_t offset, uint64_t bytes) : hal_buffer_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, &kVtable);
  device = parent.device;
  allocation = parent.allocation;
  allocation_offset = parent.allocation_offset + offset;
  length = bytes;
  memory_type = parent.memory_type;
  usage = parent.usage;
  queues = parent.queues;
  Retain(device);
  Retain(allocation);
}

void Subspan::Destroy(hal_object_t* object) noexcept {
  auto* const subspan = static_cast<Subspan*>(reinterpret_cast<hal_buffer_t*>(object));
  Release(subspan->allocation);
  delete subspan;
}

Status Subspan::Create(hal_buffer_t* buffer, uint64_t offset, uint64_t length, hal_buffer_t** out_buffer) {
  constexpr const char* kFunction = "hal_buffer_subspan";
  HAL_TRY(CheckNotNull(kFunction, "out_buffer", out_buffer));
  *out_buffer = nullptr;
  HAL_TRY(CheckNotNull(kFunction, "buffer", buffer));
  HAL_TRY(ResolveRange(kFunction, buffer, offset, &length));
  *out_buffer = new Subspan(*buffer, offset, length);
  Give(*out_buffer, kFunction);
  return kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_buffer_subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length, hal_buffer_t** out_buffer) {
  return halyard::Public([&] { return halyard::Subspan::Create(buffer, offset, length, out_buffer); });
}
