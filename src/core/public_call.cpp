// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/public_call.h"

namespace halyard {

Status NameFunction(Status failure, const char* function) noexcept {
  if (failure.message().starts_with("hal_")) return failure;
  const Failure inner(failure);
  if (inner.message().empty()) return Fail(inner.code(), "%s failed", function);
  return Fail(inner.code(), "%s: %s", function, inner.message().data());
}

}  // namespace halyard
