// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures of the operating system, in the library's terms.
#ifndef HALYARD_BASE_SYSTEM_ERROR_H_
#define HALYARD_BASE_SYSTEM_ERROR_H_

#include <string_view>

#include "base/status.h"

namespace halyard {

/// Fails with the status that an errno value stands for, and the message "<what>: <the system's words>".
Status FailWithErrno(int error, std::string_view what);

}  // namespace halyard

#endif  // HALYARD_BASE_SYSTEM_ERROR_H_
