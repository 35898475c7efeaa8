// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New objects of a driver: what the core checks and fills in before it hands them out.
#ifndef HALYARD_CORE_VALIDATION_ADOPT_H_
#define HALYARD_CORE_VALIDATION_ADOPT_H_

#include "core/validation/checks.h"

namespace halyard {

/// INTERNAL unless a driver that returned OK really made an object of that kind, with a completed vtable. Catches the
/// two mistakes that would otherwise crash far away: no object, and the driver's own (shorter) vtable.
inline Status CheckMade(const char* function, const hal_object_t* object, hal_object_kind_t kind, size_t vtable_size) {
  if (!object) return Fail(HAL_STATUS_INTERNAL, "%s: the driver returned OK but made no object", function);
  const auto* const vtable = static_cast<const hal_object_vtable_t*>(object->vtable);
  if (object->kind == kind && vtable && vtable->struct_size >= vtable_size) return kOk;
  return Fail(HAL_STATUS_INTERNAL,
              "%s: the driver made its object with the wrong kind or vtable; use the completed tables", function);
}

inline hal_object_kind_t KindOf(const hal_semaphore_t*) { return HAL_OBJECT_KIND_SEMAPHORE; }
inline hal_object_kind_t KindOf(const hal_event_t*) { return HAL_OBJECT_KIND_EVENT; }
inline hal_object_kind_t KindOf(const hal_command_buffer_t*) { return HAL_OBJECT_KIND_COMMAND_BUFFER; }
inline hal_object_kind_t KindOf(const hal_executable_t*) { return HAL_OBJECT_KIND_EXECUTABLE; }
inline hal_object_kind_t KindOf(const hal_buffer_t*) { return HAL_OBJECT_KIND_BUFFER; }

/// Takes a new object of a driver over: sets and retains its device. `Vtable` is that of its kind.
/// Buffers have more to fill in: see AdoptBuffer().
template <class Vtable, class Child>
Status AdoptChild(const char* function, hal_device_t* device, Child* child) {
  const hal_object_t* const object = child ? &child->object : nullptr;
  if (Status status = CheckMade(function, object, KindOf(child), sizeof(Vtable)); status != kOk) return status;
  child->device = device;
  Retain(device);
  return kOk;
}

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_ADOPT_H_
