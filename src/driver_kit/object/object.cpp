// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/object.h"

#include <atomic>

#include "driver_kit/object/handle_calls.h"
#include "driver_kit/object/handle_table.h"
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

template <class Child>
hal_object_t* DeviceOf(hal_object_t* object) {
  return reinterpret_cast<hal_object_t*>(reinterpret_cast<Child*>(object)->device);
}

hal_object_t* ParentOf(hal_object_t* object) {
  switch (object->kind) {
    case HAL_OBJECT_KIND_DEVICE:
      return reinterpret_cast<hal_object_t*>(reinterpret_cast<hal_device_t*>(object)->driver);
    case HAL_OBJECT_KIND_BUFFER:
      return DeviceOf<hal_buffer_t>(object);
    case HAL_OBJECT_KIND_SEMAPHORE:
      return DeviceOf<hal_semaphore_t>(object);
    case HAL_OBJECT_KIND_EVENT:
      return DeviceOf<hal_event_t>(object);
    case HAL_OBJECT_KIND_COMMAND_BUFFER:
      return DeviceOf<hal_command_buffer_t>(object);
    case HAL_OBJECT_KIND_EXECUTABLE:
      return DeviceOf<hal_executable_t>(object);
    default:
      return nullptr;
  }
}

void DestroyAttachment(hal_object_t* object) {
  if (object->kind != HAL_OBJECT_KIND_COMMAND_BUFFER) return;
  auto* attachment = static_cast<CommandBufferAttachment*>(reinterpret_cast<hal_command_buffer_t*>(object)->validation);
  if (attachment) attachment->destroy(attachment);
}

template <bool kValidated>
void DestroyAndReleaseParents(hal_object_t* object) noexcept {
  do {
    hal_object_t* const parent = ParentOf(object);
    DestroyAttachment(object);
    const hal_object_kind_t kind = object->kind;
    if constexpr (kValidated) HandleTable::Destroying(object);
    static_cast<const hal_object_vtable_t*>(object->vtable)->destroy(object);
    LiveObjects::Gone(kind);
    object = parent;
  } while (object && DropReference(object));
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
