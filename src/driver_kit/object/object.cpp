// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/object.h"

#include <atomic>
#include <cstddef>

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

constinit std::atomic<DeviceEnding> g_device_ending{nullptr};

constexpr uint32_t kHaveAttachment = 1u << HAL_OBJECT_KIND_DEVICE | 1u << HAL_OBJECT_KIND_COMMAND_BUFFER;

/// Of an object of these kinds: what hangs on it goes first.
[[gnu::noinline]] void DestroyAttachment(hal_object_t* object) noexcept {
  if (object->kind == HAL_OBJECT_KIND_DEVICE) {
    const DeviceEnding ending = g_device_ending.load(std::memory_order_acquire);
    if (ending) ending(reinterpret_cast<hal_device_t*>(object));
    return;
  }
  auto* attachment = static_cast<CommandBufferAttachment*>(reinterpret_cast<hal_command_buffer_t*>(object)->validation);
  if (attachment) attachment->destroy(attachment);
}

void Destroy(hal_object_t* object) noexcept {
  const hal_object_kind_t kind = object->kind;
  if ((kHaveAttachment >> (kind & 31) & 1) != 0) DestroyAttachment(object);
  if (ValidationIsOn()) [[unlikely]]
    HandleTable::Destroying(object);
  static_cast<const hal_object_vtable_t*>(object->vtable)->destroy(object);
  LiveObjects::Gone(kind);
}

[[gnu::noinline]] void DestroyLabelled(hal_object_t* object) noexcept {
  const EndingLabel label(object);
  const bool is_device = object->kind == HAL_OBJECT_KIND_DEVICE;  // an allocator is a part of its device
  const EndingLabel allocator_label(is_device ? reinterpret_cast<hal_device_t*>(object)->allocator : nullptr);
  Destroy(object);
}

// Apart, so that the object itself has no frame for it.
[[gnu::noinline]] void DestroyParent(hal_object_t* parent) noexcept { DestroyObject(parent); }

}  // namespace

void SetDeviceEnding(DeviceEnding ending) noexcept { g_device_ending.store(ending, std::memory_order_release); }

// No loop over the parents, which would cost the first object registers: mostly its parent lives on.
void DestroyObject(hal_object_t* object) noexcept {
  hal_object_t* const parent = ParentOf(object);
  if (Labels::Any()) [[unlikely]] {
    DestroyLabelled(object);
  } else {
    Destroy(object);
  }
  if (parent && DropsLast(parent)) DestroyParent(parent);
}

void RetainObject(hal_object_t* object) noexcept {
  object = CountedObject(object);
  if (object) AddReference(object);
}

void ReleaseObject(hal_object_t* object) noexcept {
  object = CountedObject(object);
  if (object && DropsLast(object)) DestroyObject(object);
}

}  // namespace halyard
