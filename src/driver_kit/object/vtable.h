// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge between C tables and C++ classes: no exception crosses it.
#ifndef HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_
#define HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_

#include <exception>
#include <new>
#include <utility>

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard {

/// INTERNAL for a number that is no status: what a driver or a callback made up goes no further.
inline Status KnownStatus(Status status) {
  const auto number = static_cast<uint32_t>(status);
  if (number <= HAL_STATUS_INTERNAL) [[likely]]
    return status;
  return Fail(HAL_STATUS_INTERNAL, "a driver or callback returned %u, which is no status", number);
}

/// Runs `body`, which returns a Status, and turns exceptions into one.
template <class Body>
Status Guard(Body&& body) noexcept {
  try {
    return KnownStatus(std::forward<Body>(body)());
  } catch (const std::bad_alloc&) {
    return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
  } catch (const std::exception& error) {
    return Fail(HAL_STATUS_INTERNAL, "unexpected exception: %s", error.what());
  } catch (...) {
    return FailWith(HAL_STATUS_INTERNAL, "unexpected exception");
  }
}

/// Turns a member function that returns Status into an entry of a vtable:
/// `table.map = Entry<&NullBuffer::Map>::Of<hal_buffer_t>;` for a class that derives from the C head.
template <auto Method>
struct Entry;

template <class Class, class... Args, Status (Class::*Method)(Args...)>
struct Entry<Method> {
  template <class Head>
  static hal_status_t Of(Head* self, Args... args) noexcept {
    return Guard([&] { return (static_cast<Class*>(self)->*Method)(args...); });
  }
};

/// The `destroy` entry of a class that derives from the C head `Head`.
template <class Class, class Head>
void DestroyEntry(hal_object_t* object) noexcept {
  delete static_cast<Class*>(reinterpret_cast<Head*>(object));
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_
