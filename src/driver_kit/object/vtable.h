// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The edge between C tables and C++ classes: no exception crosses it.
#ifndef HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_
#define HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_

#include <exception>
#include <new>
#include <utility>

#include "base/status.h"
#include "driver_kit/object/vtable_entries.h"
#include "halyard/driver_api.h"
#include "platform/thread_end.h"

namespace halyard {

/// The type of a head's vtable; declared only, for VtableOf().
namespace vtable_types {
hal_driver_vtable_t Of(const hal_driver_t*);
hal_device_vtable_t Of(const hal_device_t*);
hal_allocator_vtable_t Of(const hal_allocator_t*);
hal_buffer_vtable_t Of(const hal_buffer_t*);
hal_semaphore_vtable_t Of(const hal_semaphore_t*);
hal_command_buffer_vtable_t Of(const hal_command_buffer_t*);
hal_executable_vtable_t Of(const hal_executable_t*);
hal_file_vtable_t Of(const hal_file_t*);
}  // namespace vtable_types

/// The vtable of an object of the C API.
template <class Head>
auto VtableOf(const Head* object) {
  return static_cast<const decltype(vtable_types::Of(object))*>(object->object.vtable);
}

/// Runs `body`, which returns a Status, and turns exceptions into one.
template <class Body>
Status Guard(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
  } catch (const std::exception& error) {
    return Fail(HAL_STATUS_INTERNAL, "unexpected exception: %s", error.what());
  } catch (...) {
    if (KeepThread()) return FailWith(HAL_STATUS_ABORTED, "the application ended the thread, which goes on");
    return FailWith(HAL_STATUS_INTERNAL, "unexpected exception");
  }
}

/// Turns a member function that returns Status, whose text stays with the thread for the caller, into an entry of a
/// vtable: `table.map = Entry<&NullBuffer::Map>::Of<hal_buffer_t>;` for a class that derives from the C head.
template <auto Method>
struct Entry;

template <class Class, class... Args, Status (Class::*Method)(Args...)>
struct Entry<Method> {
  template <class Head>
  static hal_status_t Of(Head* self, Args... args) noexcept {
    return ToC(Guard([&] { return (static_cast<Class*>(self)->*Method)(args...); }));
  }
};

/// The same for one that only looks at the object, which cannot fail.
template <class Class, class Result, class... Args, Result (Class::*Method)(Args...) const>
struct Entry<Method> {
  template <class Head>
  static Result Of(Head* self, Args... args) noexcept {
    return (static_cast<const Class*>(self)->*Method)(args...);
  }
};

/// Sets an entry to the method of `Class`, if it has one. For the lists of vtable_entries.h, in a function that makes
/// the vtable `table` of a `Class` with the head `Head`.
#define HALYARD_SET_ENTRY(kind, entry, Method, kPresence, Answer)                             \
  if constexpr (Presence::kPresence == Presence::kRequired || requires { &Class::Method; }) { \
    table.entry = Entry<&Class::Method>::template Of<Head>;                                   \
  }

/// The `destroy` entry of a class that derives from the C head `Head`.
template <class Class, class Head>
void DestroyEntry(hal_object_t* object) noexcept {
  delete static_cast<Class*>(reinterpret_cast<Head*>(object));
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_VTABLE_H_
