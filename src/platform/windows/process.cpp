// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/process.h"

#include "platform/windows/system_headers.h"

namespace halyard {

uint64_t ProcessId() noexcept { return GetCurrentProcessId(); }

// There is no fork().
bool AtFork(void (*)(), void (*)(), void (*)()) noexcept { return true; }

// Users have no numbers: see FactsOf().
uint64_t CurrentUser() noexcept { return 0; }

}  // namespace halyard
