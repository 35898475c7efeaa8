// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/thread_end.h"

namespace halyard {

// The system ends a thread without unwinding it.
bool KeepThread() noexcept { return false; }

}  // namespace halyard
