// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/shared_memory.h"

#include <cerrno>

namespace halyard {

int CreateSharedFile(const char*, uint64_t, FileDescriptor*) noexcept { return ENOSYS; }
int ReadSharedFile(int, SharedFileFacts*) noexcept { return ENOSYS; }
int Reopen(int, FileUse, FileDescriptor*) noexcept { return ENOSYS; }
int MapShared(const FileDescriptor&, uint64_t, uint64_t, uint64_t, bool, SharedRange*) noexcept { return ENOSYS; }
void UnmapShared(const SharedRange&) noexcept {}
int LockPlace(const FileDescriptor&, uint64_t) noexcept { return ENOSYS; }
void UnlockPlace(const FileDescriptor&, uint64_t) noexcept {}
int IsPlaceLocked(const FileDescriptor&, uint64_t, bool*) noexcept { return ENOSYS; }
void WaitOnSharedWord(std::atomic<uint32_t>&, uint32_t, uint64_t) noexcept {}
void WakeAllOnSharedWord(std::atomic<uint32_t>&) noexcept {}

}  // namespace halyard
