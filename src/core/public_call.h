// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public functions: no exception leaves them, and their messages say which function failed.
#ifndef HALYARD_CORE_PUBLIC_CALL_H_
#define HALYARD_CORE_PUBLIC_CALL_H_

#include <utility>

#include "core/application_calls.h"
#include "driver_kit/object/vtable.h"

namespace halyard {

/// Puts `function: ` before a failure's message, unless it begins with a public function's name already.
Status NameFunction(Status failure, const char* function) noexcept;

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

/// As Public(), for a function whose messages have its name already, or that passes on how earlier work failed: the
/// message is that of the work.
template <class Body>
hal_status_t PassOn(Body&& body) noexcept {
  return Publish(Guard(std::forward<Body>(body)));
}

/// As PublicAndDrain(), for a function that passes on how earlier work failed: the message is that of the work.
template <class Body>
hal_status_t PassOnAndDrain(Body&& body) noexcept {
  return Publish(GuardAndDrain(std::forward<Body>(body)));
}

}  // namespace halyard

#endif  // HALYARD_CORE_PUBLIC_CALL_H_
