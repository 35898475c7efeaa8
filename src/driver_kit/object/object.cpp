// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/object.h"

#include <atomic>
#include <cstddef>

#include "driver_kit/object/handle_calls.h"
#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/live_objects.h"

namespace halyard {
namespace {

// The object that keeps its own parent: an allocator is a part of its device.
hal_object_t* CountedObject(hal_object_t* object) {
  if (object && object->kind == HAL_OBJECT_KIND_ALLOCATOR) {
    return &reinterpret_cast<hal_allocator_t*>(object)->device->object;
  }
  return object;
}

// Whether it was the last one, which must see every other thread's last use of the object.
bool DropReference(hal_object_t* object) {
  return std::atomic_ref(object->ref_count).fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// The heads of all objects that keep a parent begin with it.
static_assert(offsetof(hal_device_t, driver) == sizeof(hal_object_t));
static_assert(offsetof(hal_buffer_t, device) == sizeof(hal_object_t));
static_assert(offsetof(hal_semaphore_t, device) == sizeof(hal_object_t));
static_assert(offsetof(hal_event_t, device) == sizeof(hal_object_t));
static_assert(offsetof(hal_command_buffer_t, device) == sizeof(hal_object_t));
static_assert(offsetof(hal_executable_t, device) == sizeof(hal_object_t));
constexpr uint32_t kHaveParent = 1u << HAL_OBJECT_KIND_DEVICE | 1u << HAL_OBJECT_KIND_BUFFER |
                                 1u << HAL_OBJECT_KIND_SEMAPHORE | 1u << HAL_OBJECT_KIND_EVENT |
                                 1u << HAL_OBJECT_KIND_COMMAND_BUFFER | 1u << HAL_OBJECT_KIND_EXECUTABLE;

hal_object_t* ParentOf(hal_object_t* object) {
  if (object->kind >= 32 || (kHaveParent >> object->kind & 1) == 0) return nullptr;
  return *reinterpret_cast<hal_object_t**>(object + 1);
}

void DestroyAttachment(hal_object_t* object) {
  if (object->kind != HAL_OBJECT_KIND_COMMAND_BUFFER) return;
  auto* attachment = static_cast<CommandBufferAttachment*>(reinterpret_cast<hal_command_buffer_t*>(object)->validation);
  if (attachment) attachment->destroy(attachment);
}

template <bool kValidated>
void Destroy(hal_object_t* object) noexcept {
  DestroyAttachment(object);
  const hal_object_kind_t kind = object->kind;
  if constexpr (kValidated) HandleTable::Destroying(object);
  static_cast<const hal_object_vtable_t*>(object->vtable)->destroy(object);
  LiveObjects::Gone(kind);
}

template <bool kValidated>
[[gnu::noinline]] void DestroyLabelled(hal_object_t* object) noexcept {
  const EndingLabel label(object);
  const bool is_device = object->kind == HAL_OBJECT_KIND_DEVICE;  // an allocator is a part of its device
  const EndingLabel allocator_label(is_device ? reinterpret_cast<hal_device_t*>(object)->allocator : nullptr);
  Destroy<kValidated>(object);
}

// No loop over the parents, which would cost the first object registers: mostly its parent lives on.
template <bool kValidated>
void DestroyAndReleaseParents(hal_object_t* object) noexcept {
  hal_object_t* const parent = ParentOf(object);
  if (Labels::Any()) [[unlikely]] {
    DestroyLabelled<kValidated>(object);
  } else {
    Destroy<kValidated>(object);
  }
  if (parent && DropReference(parent)) g_handle_calls.destroy(parent);
}

}  // namespace

void DestroyObject(hal_object_t* object) noexcept { DestroyAndReleaseParents<false>(object); }
void DestroyValidatedObject(hal_object_t* object) noexcept { DestroyAndReleaseParents<true>(object); }

void RetainObject(hal_object_t* object) noexcept {
  object = CountedObject(object);
  if (object) std::atomic_ref(object->ref_count).fetch_add(1, std::memory_order_relaxed);
}

void ReleaseObject(hal_object_t* object) noexcept {
  object = CountedObject(object);
  if (object && DropReference(object)) g_handle_calls.destroy(object);
}

}  // namespace halyard
