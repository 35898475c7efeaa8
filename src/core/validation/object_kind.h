// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that are given to functions without a status.
#ifndef HALYARD_CORE_VALIDATION_OBJECT_KIND_H_
#define HALYARD_CORE_VALIDATION_OBJECT_KIND_H_

#include "driver_kit/object/object_kind.h"

namespace halyard {

/// As FailKind(), for functions that return no status: writes the message to the log as well.
[[gnu::cold]] void ReportUnusable(const char* argument, const void* object, hal_object_kind_t wanted,
                                  const char* function) noexcept;

/// For functions that return no status and answer NULL with nothing: false also for what is no T, with a message.
template <Object T>
bool IsUsable(const char* argument, const T* object, const char* function = __builtin_FUNCTION()) {
  if (!object) return false;
  if (IsWhatItSays(object)) return true;
  ReportUnusable(argument, object, kKindOf<T>, function);
  return false;
}

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_OBJECT_KIND_H_
