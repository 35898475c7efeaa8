// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the end of the process waits for threads of the library.
#ifndef HALYARD_BASE_EXIT_DEADLINE_H_
#define HALYARD_BASE_EXIT_DEADLINE_H_

#include "base/clock.h"

namespace halyard {

/// 250 ms from the first call on. The handlers of exit() that wait for threads share it, so that they take no longer in
/// all. Thread-safe.
Deadline ExitDeadline() noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_EXIT_DEADLINE_H_
