// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_loop.h"

namespace halyard::local {

void FirstFailure::Keep(Status status) {
  const std::lock_guard lock(mutex_);
  if (failed()) return status.Ignore();
  failure_ = Failure(status);
  failed_.store(true, std::memory_order_relaxed);
}

Status FirstFailure::Take() {
  if (!failed()) return kOk;
  const std::lock_guard lock(mutex_);
  return failure_.Take();
}

}  // namespace halyard::local
