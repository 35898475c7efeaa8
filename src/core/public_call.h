// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Public functions: no exception leaves them, and their messages say which function failed.
#ifndef HALYARD_CORE_PUBLIC_CALL_H_
#define HALYARD_CORE_PUBLIC_CALL_H_

#include <utility>

#include "core/application_calls.h"
#include "driver_kit/object/vtable.h"

namespace halyard {

/// Puts `function: ` before this thread's message, unless it begins with a public function's name already.
Status NameFunction(Status failure, const char* function) noexcept;

/// Guard() for the body of a public function: `return Public([&] { … });`. Functions that pass on how earlier work
/// failed use Guard() itself: that is the message of that work.
template <class Body>
Status Public(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  const Status status = Guard(std::forward<Body>(body));
  return status == kOk ? kOk : NameFunction(status, function);
}

/// As Public(), for a function that can bring callbacks or work about.
template <class Body>
Status PublicAndDrain(Body&& body, const char* function = __builtin_FUNCTION()) noexcept {
  const Status status = GuardAndDrain(std::forward<Body>(body));
  return status == kOk ? kOk : NameFunction(status, function);
}

}  // namespace halyard

#endif  // HALYARD_CORE_PUBLIC_CALL_H_
