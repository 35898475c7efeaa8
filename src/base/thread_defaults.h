// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What threads begin with: they inherit signal mask and floating-point state from the thread that starts them.
#ifndef HALYARD_BASE_THREAD_DEFAULTS_H_
#define HALYARD_BASE_THREAD_DEFAULTS_H_

#include <csignal>

#include "base/floating_point.h"

namespace halyard {

/// Blocks signals on this thread while it exists, for the threads that it starts. The system sends those that are left
/// to the thread whose instruction raised them, and ends the process where they are blocked.
class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, raised);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

/// Threads that are started while it exists take no signal of the application and have the default floating-point
/// state: the library's own, and those that a vendor's library starts when it is opened.
struct ThreadDefaults {
  const BlockedSignals signals;
  const DefaultFloatingPoint floating_point;
};

}  // namespace halyard

#endif  // HALYARD_BASE_THREAD_DEFAULTS_H_
