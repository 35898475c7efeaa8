// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/subspan.h"

#include <utility>

#include "core/public_call.h"
#include "core/validation/buffer_ref.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

/// A part of an allocation. Only the core knows of it: drivers are given the allocation and an offset.
class Subspan final : public hal_buffer_t, public HostObject {
 public:
  Subspan(const hal_buffer_t& parent, uint64_t offset, uint64_t bytes, std::unique_ptr<ReleaseCall> release);

 private:
  static void Destroy(hal_object_t* object) noexcept;
  static const hal_buffer_vtable_t kVtable;

  std::unique_ptr<ReleaseCall> release_;
};

// Every other entry is resolved to the allocation before it is called.
const hal_buffer_vtable_t Subspan::kVtable = {
    sizeof(hal_buffer_vtable_t), Subspan::Destroy, nullptr, nullptr, nullptr, nullptr, nullptr};

// Field by field: the counts of the parent may change meanwhile.
Subspan::Subspan(const hal_buffer_t& parent, uint64_t offset, uint64_t bytes, std::unique_ptr<ReleaseCall> release)
    : hal_buffer_t{}, release_(std::move(release)) {
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
  ReleaseCall* const release = subspan->release_.release();  // it frees itself
  Release(subspan->allocation);
  delete subspan;
  if (release) ReleaseCall::OnRelease(release);
}

Status CreateSubspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length, hal_buffer_t** out_buffer) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  HAL_TRY(ResolveRange(buffer, offset, &length));
  *out_buffer = MakeSubspan(*buffer, offset, length, nullptr);
  return kOk;
}

}  // namespace

hal_buffer_t* MakeSubspan(const hal_buffer_t& parent, uint64_t offset, uint64_t length,
                          std::unique_ptr<ReleaseCall> release) {
  return new Subspan(parent, offset, length, std::move(release));
}

}  // namespace halyard

hal_status_t hal_buffer_subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length, hal_buffer_t** out_buffer) {
  return halyard::PublicThatGives("out_buffer", out_buffer,
                                  [&] { return halyard::CreateSubspan(buffer, offset, length, out_buffer); });
}
