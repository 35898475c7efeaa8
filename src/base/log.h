// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages for the application's log.
#ifndef HALYARD_BASE_LOG_H_
#define HALYARD_BASE_LOG_H_

#include <string_view>

#include "halyard/base.h"

namespace halyard {

void SetLogCallback(hal_log_fn_t callback, void* user_data, hal_log_level_t level);

/// Writes a message; it must not be called with a lock held.
void Log(hal_log_level_t level, std::string_view message) noexcept;

/// The same when the thread is done with what it does for others. If there is no memory for a copy, the message is
/// lost.
void LogLater(hal_log_level_t level, std::string_view message) noexcept;

}  // namespace halyard

#endif  // HALYARD_BASE_LOG_H_
