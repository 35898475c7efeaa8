// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/public_call.h"

namespace halyard {

Status NameFunction(Status failure, const char* function) noexcept {
  const std::string_view words = LastErrorMessage();
  if (words.starts_with("hal_")) return failure;
  if (words.empty()) return Fail(failure, "%s failed", function);
  return Fail(failure, "%s: %.*s", function, HALYARD_SV(words));
}

}  // namespace halyard
