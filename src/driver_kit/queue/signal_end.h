// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the end of an operation reaches the semaphores that it signals.
#ifndef HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_
#define HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_

#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Fails a semaphore of any driver, which keeps the first failure.
inline void FailSemaphore(hal_semaphore_t* semaphore, const Failure& failure) noexcept {
  FromC(VtableOf(semaphore)->fail(semaphore, failure.code(), ToC(failure.message()))).Ignore();
}

/// Fails a semaphore whose signal was refused, and drops the status. A late or repeated signal is the
/// application's mistake, found when it happens: all that wait must hear of it.
inline void FailRefused(hal_semaphore_t* semaphore, Status status) noexcept {
  if (status != kOk) [[unlikely]]
    FailSemaphore(semaphore, Failure(status));
}

/// Signals a semaphore, of any driver, at the end of an operation; see FailRefused(). The caller has a reference to it.
inline void SignalEnd(hal_semaphore_t* semaphore, uint64_t value) noexcept {
  FailRefused(semaphore, FromC(VtableOf(semaphore)->signal(semaphore, value)));
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_
