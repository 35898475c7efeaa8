// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/exit_deadline.h"

namespace halyard {

Deadline ExitDeadline() noexcept {
  constexpr uint64_t kLongestExit = 250'000'000;  // nanoseconds
  static const Deadline deadline = DeadlineAfter(kLongestExit);
  return deadline;
}

}  // namespace halyard
