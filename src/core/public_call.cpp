// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/public_call.h"

namespace halyard {

Status NameFunction(Status failure, const char* function) noexcept {
  const std::string_view message = LastErrorMessage();
  if (message.starts_with("hal_")) return failure;
  if (message.empty()) return Fail(failure, "%s failed", function);
  return Fail(failure, "%s: %.*s", function, HALYARD_SV(message));
}

}  // namespace halyard
