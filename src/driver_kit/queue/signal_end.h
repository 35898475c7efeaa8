// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the end of an operation reaches the semaphores that it signals.
#ifndef HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_
#define HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_

#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Signals a semaphore, of any driver, at the end of an operation. The caller has a reference to it. A late or repeated
/// signal is the application's mistake, found when it happens: the semaphore fails, as all that wait must hear of it.
inline void SignalEnd(hal_semaphore_t* semaphore, uint64_t value) noexcept {
  const Status status = VtableOf(semaphore)->signal(semaphore, value);
  if (status != kOk) [[unlikely]]
    VtableOf(semaphore)->fail(semaphore, status, ToC(LastErrorMessage()));
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_SIGNAL_END_H_
