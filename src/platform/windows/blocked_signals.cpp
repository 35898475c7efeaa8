// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/blocked_signals.h"

namespace halyard {

// The system has no signals that another thread could take.
BlockedSignals::BlockedSignals() noexcept : before_{} {}
BlockedSignals::~BlockedSignals() = default;

}  // namespace halyard
