// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What public entry points share: checks of arguments, which name the argument as the user knows it, structs and lists
// of callers of another version, and checks of new objects of a driver.
#ifndef HALYARD_CORE_VALIDATION_CHECKS_H_
#define HALYARD_CORE_VALIDATION_CHECKS_H_

#include <algorithm>
#include <cstring>
#include <span>

#include "base/status.h"
#include "core/validation/object_kind.h"
#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/object.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Passes a failure on, and tells the compiler that it is none other than that: what only a success needs then lives in
/// no register across the call that makes the message.
inline Status Failed(Status failure) {
  if (failure == kOk) __builtin_unreachable();
  return failure;
}

/// INVALID_ARGUMENT if a pointer argument is NULL.
inline Status CheckNotNull(const char* argument, const void* pointer) {
  if (pointer) return kOk;
  return Failed(Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is NULL", argument));
}

/// INVALID_ARGUMENT if an object is NULL, or is none of its type's kind. It costs a look at the head, which is used
/// next anyway. Only validation can tell an object that was destroyed.
template <Object T>
Status CheckNotNull(const char* argument, const T* object) {
  if (object && IsWhatItSays(object)) return kOk;
  return Failed(FailKind(argument, object, kKindOf<T>));
}

/// What hal_<object>_retain() and hal_<object>_release() do.
template <Object T>
void RetainHandle(T* object) noexcept {
  if (ValidationIsOn()) [[unlikely]]
    return RetainValidated(reinterpret_cast<hal_object_t*>(object), kKindOf<T>);
  Retain(object);
}
template <Object T>
void ReleaseHandle(T* object) noexcept {
  if (ValidationIsOn()) [[unlikely]]
    return ReleaseValidated(reinterpret_cast<hal_object_t*>(object), kKindOf<T>);
  Release(object);
}

/// INVALID_ARGUMENT if a text claims a length but has no address.
inline Status CheckText(const char* argument, hal_string_view_t text) {
  if (text.data || text.size == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.size is %zu, but %s.data is NULL", argument, text.size, argument);
}

/// INVALID_ARGUMENT if `flags` holds bits beyond `known`.
inline Status CheckFlags(const char* argument, uint64_t flags, uint64_t known) {
  if ((flags & ~known) == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s has unknown bits 0x%llx", argument,
              static_cast<unsigned long long>(flags & ~known));
}

/// No struct of this API comes near this size; a larger `struct_size` was never set.
inline constexpr size_t kMaxStructSize = 4096;

/// Copies a struct that may come from an older or newer caller into one of the current size. Fields that the caller
/// does not know keep the value that `*out` has; fields that this library does not know must be zero.
template <class T>
Status ReadStruct(const char* argument, const T* given, T* out) {
  HAL_TRY(CheckNotNull(argument, given));
  const size_t size = given->struct_size;
  if (size == sizeof(T)) {
    *out = *given;
    return kOk;
  }
  if (size < sizeof(size_t) || size > kMaxStructSize) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s->struct_size is %zu; begin with HAL_INIT or the struct's HAL_…_INIT",
                argument, size);
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; })) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "%s sets fields that this version of the library does not know", argument);
  }
  std::memcpy(static_cast<void*>(out), given, std::min(size, sizeof(T)));
  out->struct_size = sizeof(T);
  return kOk;
}

/// Copies a result into a struct of the caller, as far as the caller's version of the struct goes.
template <class T>
Status WriteStruct(const char* argument, T result, T* out) {
  HAL_TRY(CheckNotNull(argument, out));
  const size_t size = out->struct_size;
  if (size < sizeof(size_t) || size > kMaxStructSize) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s->struct_size is %zu; begin with HAL_INIT or the struct's HAL_…_INIT",
                argument, size);
  }
  result.struct_size = size;
  std::memcpy(static_cast<void*>(out), &result, std::min(size, sizeof(T)));
  return kOk;
}

/// Values of hal_buffer_t::state.
inline constexpr uint32_t kBufferFromQueue = 1;  ///< made by queue_alloca
inline constexpr uint32_t kBufferDealloced = 2;  ///< its queue_dealloca was submitted
inline constexpr uint32_t kBufferShared = 4;     ///< made by hal_buffer_share: memory of another buffer, too

/// Checks the parameters of an allocation or import (unknown bits, empty usage, alignment, MAPPING without
/// HOST_VISIBLE is resolved by adding the type). Defined in allocator.cpp; also used by queue_alloca.
Status ReadBufferParams(hal_device_t* device, const hal_buffer_params_t* given, hal_buffer_params_t* out);

/// Fills in what the core owns in the head of a new buffer. AdoptBuffer() retains the device, too.
void SetBufferHead(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer);
void AdoptBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer);

/// OUT_OF_RANGE, as a mask names no queue of the device. Defined in device.cpp.
Status FailNoQueue(const hal_device_t* device, hal_queue_mask_t queues);

/// The mask of all queues of a device.
inline hal_queue_mask_t ExistingQueues(const hal_device_t* device) {
  const uint32_t count = device->info->queue_count;
  return count >= 64 ? HAL_QUEUE_ANY : (hal_queue_mask_t{1} << count) - 1;
}

/// Checks that a mask names a queue of the device, and cuts it to those that exist.
inline Status ResolveQueues(const hal_device_t* device, hal_queue_mask_t queues, hal_queue_mask_t* out) {
  *out = queues & ExistingQueues(device);
  return *out != 0 ? kOk : Failed(FailNoQueue(device, queues));
}

/// Writes `items` into `array`, which has room for `*count` elements, each as large as the first one's `struct_size`
/// says. `*count` becomes the number of items, even if there is no array or too little room (OUT_OF_RANGE).
template <class T>
Status WriteStructList(const char* argument, std::span<const T> items, size_t* count, T* array) {
  const size_t capacity = *count;
  *count = items.size();
  if (!array || items.empty()) return kOk;
  if (capacity < items.size()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s has room for %zu elements, but there are %zu", argument, capacity,
                items.size());
  }
  const size_t stride = array->struct_size;
  auto* bytes = reinterpret_cast<unsigned char*>(array);
  for (const T& item : items) {
    if (Status status = WriteStruct(argument, item, reinterpret_cast<T*>(bytes)); status != kOk) {
      *count = 0;
      return status;
    }
    bytes += stride;
  }
  return kOk;
}

/// Begins a function that writes a list: `object` is what it is of. Without one there is no element.
template <Object T>
Status BeginList(size_t* count, const char* argument, const T* object) {
  HAL_TRY(CheckNotNull("count", count));
  const Status status = CheckNotNull(argument, object);
  if (status != kOk) *count = 0;
  return status;
}

/// Reads a whole list from a driver. `query(count, array)` answers as the public function does; `blank` is an element
/// before it is filled in.
template <class T, class Query>
Status ReadStructList(const T& blank, Query&& query, HostVector<T>* out) {
  size_t count = 0;
  Status status = query(&count, nullptr);
  // The list may have grown since it was counted, e.g. when a device is plugged in.
  for (int attempt = 0; status == kOk && attempt < 4; ++attempt) {
    out->assign(count, blank);
    if (count == 0) return kOk;
    status = query(&count, out->data());
    if (status == kOk) {
      out->resize(std::min(count, out->size()), blank);
      return kOk;
    }
    if (status.code() == HAL_STATUS_OUT_OF_RANGE && count > out->size()) {
      status.Ignore();
      status = kOk;
    }
  }
  if (status != kOk) return status;
  return FailWith(HAL_STATUS_UNAVAILABLE, "the list keeps growing while it is read");
}

/// INTERNAL unless a driver that returned OK really made an object of that kind, with a completed vtable. Catches the
/// two mistakes that would otherwise crash far away: no object, and the driver's own (shorter) vtable.
inline Status CheckMade(const hal_object_t* object, hal_object_kind_t kind, size_t vtable_size) {
  if (!object) return FailWith(HAL_STATUS_INTERNAL, "the driver returned OK but made no object");
  const auto* const vtable = static_cast<const hal_object_vtable_t*>(object->vtable);
  if (object->kind == kind && vtable && vtable->struct_size >= vtable_size) return kOk;
  return FailWith(HAL_STATUS_INTERNAL,
                  "the driver made its object with the wrong kind or vtable; use the completed tables");
}

/// Takes a new object of a driver over: sets and retains its device. `Vtable` is that of its kind.
/// Buffers have more to fill in: see AdoptBuffer().
template <class Vtable, class Child>
[[gnu::always_inline]] inline Status AdoptChild(hal_device_t* device, Child* child) {
  const hal_object_t* const object = child ? &child->object : nullptr;
  HAL_TRY(CheckMade(object, kKindOf<Child>, sizeof(Vtable)));
  child->device = device;
  Retain(device);
  return kOk;
}

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_CHECKS_H_
