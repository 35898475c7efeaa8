// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores whose timeline processes share: HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD.
#ifndef HALYARD_CORE_HANDLES_SHARED_SEMAPHORE_H_
#define HALYARD_CORE_HANDLES_SHARED_SEMAPHORE_H_

#include "base/status.h"
#include "halyard/semaphore.h"

namespace halyard {

/// Makes one; the caller adopts it.
Status CreateSharedSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore);
/// As hal_semaphore_export() and hal_semaphore_import().
Status ExportSemaphore(hal_semaphore_t* semaphore, hal_external_semaphore_type_t type,
                       hal_external_semaphore_t* out_external);
Status ImportSemaphore(const hal_external_semaphore_t* external, hal_semaphore_t** out_semaphore);

}  // namespace halyard

#endif  // HALYARD_CORE_HANDLES_SHARED_SEMAPHORE_H_
