// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fences and semaphores do alike.
#ifndef HALYARD_CORE_SEMAPHORE_H_
#define HALYARD_CORE_SEMAPHORE_H_

#include "base/status.h"
#include "driver_kit/timeline/point_rules.h"
#include "halyard/driver_api.h"

namespace halyard {

/// As hal_semaphore_signal(), for a semaphore that was checked. Within a DrainScope, so
/// that no callback gives the semaphore up meanwhile.
Status SignalSemaphore(hal_semaphore_t* semaphore, uint64_t value);

/// INVALID_ARGUMENT unless `status` is one that a semaphore can fail with: any that is known, but OK.
Status CheckFailure(hal_status_t status);

/// As hal_semaphore_fail(), for arguments that were checked. Within a DrainScope as well.
Status FailSemaphore(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message);

}  // namespace halyard

#endif  // HALYARD_CORE_SEMAPHORE_H_
