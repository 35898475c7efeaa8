// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/process.h"

#include <pthread.h>
#include <unistd.h>

namespace halyard {

uint64_t ProcessId() noexcept { return static_cast<uint64_t>(getpid()); }

bool AtFork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

uint64_t CurrentUser() noexcept { return geteuid(); }

}  // namespace halyard
