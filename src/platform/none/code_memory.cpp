// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilers for this system make no ELF objects, which is what the memory is for.
#include "platform/code_memory.h"

#include <cerrno>

namespace halyard {

bool HasCodeMemory() noexcept { return false; }
int MapCode(size_t, bool, CodeMapping*) noexcept { return ENOSYS; }
void UnmapCode(CodeMapping*) noexcept {}
void PublishCode(std::byte*, size_t) noexcept {}
void ClearData(std::byte*, size_t) noexcept {}
bool IsCodeOfLibrary(const void*) noexcept { return false; }

}  // namespace halyard
