// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose files this process takes code from.
#ifndef HALYARD_BASE_FILE_FILE_OWNER_H_
#define HALYARD_BASE_FILE_FILE_OWNER_H_

#include <string_view>

#include "base/status.h"
#include "platform/file_descriptor.h"

namespace halyard {

/// Whether this user or root owns it. Root may do anything anyway.
bool IsOwnerTrusted(const FileFacts& facts) noexcept;

/// PERMISSION_DENIED if another user owns it, or could put another file in its place. Users that this process's
/// namespace has no number for count as root: its own folders appear so there.
/// @param what  for the message
Status CheckParentFolder(const FileFacts& facts, std::string_view what);

/// PERMISSION_DENIED; the message names both users.
Status FailOwner(const FileFacts& facts, std::string_view what);

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_FILE_OWNER_H_
