// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_loop.h"

namespace halyard::local {

void FirstFailure::Keep(Status status) {
  const std::lock_guard lock(mutex_);
  if (failed()) return;
  failure_ = Failure::FromThread(status);
  failed_.store(true, std::memory_order_relaxed);
}

Status FirstFailure::Raise() {
  if (!failed()) return kOk;
  const std::lock_guard lock(mutex_);
  return failure_.Raise();
}

}  // namespace halyard::local
