// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that appear whole or not at all.
#ifndef HALYARD_CORE_ATOMIC_FILE_H_
#define HALYARD_CORE_ATOMIC_FILE_H_

#include <string_view>

#include "common/status.h"

namespace halyard {

/// Writes `contents` to a temporary file in the same folder, then gives it the name `path`, replacing a file of that
/// name. Refuses to replace anything but a regular file. The messages name no function.
Status WriteFileAtomically(std::string_view path, std::string_view contents);

}  // namespace halyard

#endif  // HALYARD_CORE_ATOMIC_FILE_H_
