// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public functions: no exception leaves them, and their messages say which function failed. Nothing that they call
// knows its name: messages begin with the argument, and the name is put before them here.
#ifndef HALYARD_CORE_PUBLIC_CALL_H_
#define HALYARD_CORE_PUBLIC_CALL_H_

#include <utility>

#include "core/application_calls.h"
#include "driver_kit/object/handle_table.h"
#include "driver_kit/object/vtable.h"

namespace halyard {

/// Puts `function: ` before a failure's message, unless it begins with a public function's name already.
[[gnu::cold]] Status NameFunction(Status failure, const char* function) noexcept;

/// Ends a public function: a failure's message becomes this thread's last one.
inline hal_status_t EndPublic(Status status, const char* function) noexcept {
  if (status == kOk) [[likely]]
    return HAL_STATUS_OK;
  return Publish(NameFunction(status, function));
}

/// Guard() for the body of a public function: `return Public([&] { … });`.
template <class Body>
hal_status_t Public(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  return EndPublic(Guard(std::forward<Body>(body)), function);
}

/// As Public(), for a function that can bring callbacks or work about.
template <class Body>
hal_status_t PublicAndDrain(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  return EndPublic(GuardAndDrain(std::forward<Body>(body)), function);
}

/// As Public(), for a function that gives the application a reference. `argument` is what the function calls `out`,
/// which `body` sets, or leaves NULL; it is NULL after a failure.
template <class T, class Body>
hal_status_t PublicThatGives(const char* argument, T** out, Body&& body,
                             const char* function = __builtin_FUNCTION()) noexcept {
  const auto give = [&]() -> Status {
    if (!out) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is NULL", argument);
    *out = nullptr;
    return body();
  };
  const hal_status_t status = Public(give, function);
  if (ValidationIsOn() && status == HAL_STATUS_OK && *out) [[unlikely]]
    HandleTable::Given(reinterpret_cast<hal_object_t*>(*out), function);
  return status;
}

/// As PublicAndDrain(), for a function that asks how earlier work went. `check` says what is wrong with the call. A
/// failure of `body` is that of the work, and its message stays as it is.
template <class Check, class Body>
hal_status_t PassOnAndDrain(Check&& check, Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  return Publish(GuardAndDrain([&]() -> Status {
    if (const Status wrong = check(); wrong != kOk) [[unlikely]]
      return NameFunction(wrong, function);
    return body();
  }));
}

/// As PassOnAndDrain(), for a wait: DEADLINE_EXCEEDED is its own failure, never that of the work (AwaitedFailure()).
template <class Check, class Body>
hal_status_t Await(Check&& check, Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  const auto wait = [&] {
    const Status status = body();
    return status.code() == HAL_STATUS_DEADLINE_EXCEEDED ? NameFunction(status, function) : status;
  };
  return PassOnAndDrain(check, wait, function);
}

}  // namespace halyard

#endif  // HALYARD_CORE_PUBLIC_CALL_H_
