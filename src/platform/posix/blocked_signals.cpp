// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/blocked_signals.h"

#include <csignal>
#include <cstring>

namespace halyard {

BlockedSignals::BlockedSignals() noexcept {
  sigset_t blocked;
  sigset_t before;
  static_assert(sizeof(before) <= sizeof(before_));
  sigfillset(&blocked);
  for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, raised);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  std::memcpy(before_, &before, sizeof(before));
}

BlockedSignals::~BlockedSignals() {
  sigset_t before;
  std::memcpy(&before, before_, sizeof(before));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace halyard
