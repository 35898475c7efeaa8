// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads begin with: they inherit signal mask and floating-point state from the thread that starts them.
#ifndef HALYARD_BASE_THREAD_DEFAULTS_H_
#define HALYARD_BASE_THREAD_DEFAULTS_H_

#include "base/floating_point.h"
#include "platform/blocked_signals.h"

namespace halyard {

/// Threads that are started while it exists take no signal of the application and have the default floating-point
/// state: the library's own, and those that a vendor's library starts when it is opened.
struct ThreadDefaults {
  const BlockedSignals signals;
  const DefaultFloatingPoint floating_point;
};

}  // namespace halyard

#endif  // HALYARD_BASE_THREAD_DEFAULTS_H_
