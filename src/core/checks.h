// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Argument checks that every public entry point shares. Each names the function and the argument as the user knows
// them.
#ifndef HALYARD_CORE_CHECKS_H_
#define HALYARD_CORE_CHECKS_H_

#include <algorithm>
#include <cstring>

#include "common/object.h"
#include "common/status.h"
#include "common/vtable.h"
#include "core/object_kind.h"
#include "core/public_call.h"
#include "halyard/driver_api.h"

namespace halyard {

/// INVALID_ARGUMENT if a pointer argument is NULL.
inline Status CheckNotNull(const char* function, const char* argument, const void* pointer) {
  if (pointer) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: %s is NULL", function, argument);
}

/// INVALID_ARGUMENT if an object is NULL, or is none of its type's kind. It costs a look at the head, which is used
/// next anyway. An object that was destroyed cannot be told.
template <Object T>
Status CheckNotNull(const char* function, const char* argument, const T* object) {
  if (object && IsWhatItSays(object)) return kOk;
  return NameFunction(FailKind(argument, object, kKindOf<T>), function);
}

/// INVALID_ARGUMENT if a text claims a length but has no address.
inline Status CheckText(const char* function, const char* argument, hal_string_view_t text) {
  if (text.data || text.size == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: %s.size is %zu, but %s.data is NULL", function, argument, text.size,
              argument);
}

/// INVALID_ARGUMENT if `flags` holds bits beyond `known`.
inline Status CheckFlags(const char* function, const char* argument, uint64_t flags, uint64_t known) {
  if ((flags & ~known) == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: %s has unknown bits 0x%llx", function, argument,
              static_cast<unsigned long long>(flags & ~known));
}

/// No struct of this API comes near this size; a larger `struct_size` was never set.
inline constexpr size_t kMaxStructSize = 4096;

/// Copies a struct that may come from an older or newer caller into one of the current size. Fields that the caller
/// does not know keep the value that `*out` has; fields that this library does not know must be zero.
template <class T>
Status ReadStruct(const char* function, const char* argument, const T* given, T* out) {
  if (Status status = CheckNotNull(function, argument, given); status != kOk) return status;
  const size_t size = given->struct_size;
  if (size == sizeof(T)) {
    *out = *given;
    return kOk;
  }
  if (size < sizeof(size_t) || size > kMaxStructSize) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: %s->struct_size is %zu; begin with the struct's HAL_…_INIT", function,
                argument, size);
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; })) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "%s: %s sets fields that this version of the library does not know", function,
                argument);
  }
  std::memcpy(static_cast<void*>(out), given, std::min(size, sizeof(T)));
  out->struct_size = sizeof(T);
  return kOk;
}

/// Copies a result into a struct of the caller, as far as the caller's version of the struct goes.
template <class T>
Status WriteStruct(const char* function, const char* argument, T result, T* out) {
  if (Status status = CheckNotNull(function, argument, out); status != kOk) return status;
  const size_t size = out->struct_size;
  if (size < sizeof(size_t) || size > kMaxStructSize) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: %s->struct_size is %zu; begin with the struct's HAL_…_INIT", function,
                argument, size);
  }
  result.struct_size = size;
  std::memcpy(static_cast<void*>(out), &result, std::min(size, sizeof(T)));
  return kOk;
}

/// The vtable of an object, by the type of its head.
inline const hal_driver_vtable_t* Table(const hal_driver_t* object) {
  return static_cast<const hal_driver_vtable_t*>(object->object.vtable);
}
inline const hal_device_vtable_t* Table(const hal_device_t* object) {
  return static_cast<const hal_device_vtable_t*>(object->object.vtable);
}
inline const hal_allocator_vtable_t* Table(const hal_allocator_t* object) {
  return static_cast<const hal_allocator_vtable_t*>(object->object.vtable);
}
inline const hal_buffer_vtable_t* Table(const hal_buffer_t* object) {
  return static_cast<const hal_buffer_vtable_t*>(object->object.vtable);
}
inline const hal_semaphore_vtable_t* Table(const hal_semaphore_t* object) {
  return static_cast<const hal_semaphore_vtable_t*>(object->object.vtable);
}
inline const hal_command_buffer_vtable_t* Table(const hal_command_buffer_t* object) {
  return static_cast<const hal_command_buffer_vtable_t*>(object->object.vtable);
}
inline const hal_executable_vtable_t* Table(const hal_executable_t* object) {
  return static_cast<const hal_executable_vtable_t*>(object->object.vtable);
}
inline const hal_file_vtable_t* Table(const hal_file_t* object) {
  return static_cast<const hal_file_vtable_t*>(object->object.vtable);
}

/// Values of hal_buffer_t::state.
inline constexpr uint32_t kBufferFromQueue = 1;  ///< made by queue_alloca
inline constexpr uint32_t kBufferDealloced = 2;  ///< its queue_dealloca was submitted

/// Checks the parameters of an allocation or import (unknown bits, empty usage, alignment, MAPPING without
/// HOST_VISIBLE is resolved by adding the type). Defined in allocator.cpp; also used by queue_alloca.
Status ReadBufferParams(const char* function, hal_device_t* device, const hal_buffer_params_t* given,
                        hal_buffer_params_t* out);

/// Fills in what the core owns in the head of a new buffer.
void AdoptBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer);

/// Checks that a mask names a queue of the device, and cuts it to those that exist. Defined in device.cpp.
Status ResolveQueues(const char* function, hal_device_t* device, hal_queue_mask_t queues, hal_queue_mask_t* out);

}  // namespace halyard

#endif  // HALYARD_CORE_CHECKS_H_
