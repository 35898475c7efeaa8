// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/base.h"

#include "base/log.h"

static_assert(HAL_VERSION == ((HAL_VERSION_MAJOR << 16) | (HAL_VERSION_MINOR << 8) | HAL_VERSION_PATCH));

uint32_t hal_version(void) { return HAL_VERSION; }

void hal_set_log_callback(hal_log_fn_t callback, void* user_data, hal_log_level_t level) {
  halyard::SetLogCallback(callback, user_data, level);
}
