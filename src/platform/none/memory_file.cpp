// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>

#include "platform/folder.h"

namespace halyard {

int CreateMemoryFile(FileDescriptor*) noexcept { return ENOSYS; }

std::string_view SpellMemoryFile(const FileDescriptor&, uint32_t, std::span<char>) noexcept { return {}; }

}  // namespace halyard
