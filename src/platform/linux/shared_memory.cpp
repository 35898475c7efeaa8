// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "platform/memory.h"

namespace halyard {
namespace {

struct flock ByteLock(uint64_t place) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(place);
  lock.l_len = 1;
  return lock;
}

}  // namespace

int CreateSharedFile(const char* purpose, uint64_t size, FileDescriptor* out) noexcept {
  FileDescriptor file(memfd_create(purpose, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return errno;
  if (ftruncate(file.get(), static_cast<off_t>(size)) != 0) return errno;
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return errno;
  *out = std::move(file);
  return 0;
}

int ReadSharedFile(int descriptor, SharedFileFacts* out) noexcept {
  DescriptorUse use;
  if (const int error = ReadDescriptorUse(descriptor, &use)) return error;
  if (!use.reads) return EINVAL;
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) return EINVAL;
  struct stat info = {};
  if (fstat(descriptor, &info) != 0) return errno;
  out->size = static_cast<uint64_t>(info.st_size);
  out->owner = info.st_uid;
  out->never_shrinks = (seals & F_SEAL_SHRINK) != 0;
  out->is_writable = use.writes && (seals & F_SEAL_WRITE) == 0;
  return 0;
}

int Reopen(int descriptor, FileUse use, FileDescriptor* out) noexcept {
  std::array<char, 40> path;
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  return out->Open(-1, path.data(), use);
}

int MapShared(const FileDescriptor& file, uint64_t offset, uint64_t size, uint64_t alignment, bool writes,
              SharedRange* out) noexcept {
  const int access = PROT_READ | (writes ? PROT_WRITE : 0);
  const auto at = static_cast<off_t>(offset);
  if (alignment <= PageSize()) {
    void* const memory = mmap(nullptr, size, access, MAP_SHARED, file.get(), at);
    if (memory == MAP_FAILED) return errno;
    *out = {static_cast<char*>(memory), memory, size};
    return 0;
  }
  void* const room = mmap(nullptr, size + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return errno;
  const auto begin = (reinterpret_cast<uintptr_t>(room) + alignment - 1) & ~(alignment - 1);
  void* const memory = mmap(reinterpret_cast<void*>(begin), size, access, MAP_SHARED | MAP_FIXED, file.get(), at);
  if (memory == MAP_FAILED) {
    const int error = errno;
    munmap(room, size + alignment);
    return error;
  }
  *out = {static_cast<char*>(memory), room, size + alignment};
  return 0;
}

void UnmapShared(const SharedRange& range) noexcept {
  if (range.reserved) munmap(range.reserved, range.reserved_size);
}

// Locks of the open file description: those of a process would go with any descriptor of the file that it closes.
int LockPlace(const FileDescriptor& file, uint64_t place) noexcept {
  struct flock lock = ByteLock(place);
  return fcntl(file.get(), F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

void UnlockPlace(const FileDescriptor& file, uint64_t place) noexcept {
  struct flock lock = ByteLock(place);
  lock.l_type = F_UNLCK;
  fcntl(file.get(), F_OFD_SETLK, &lock);
}

int IsPlaceLocked(const FileDescriptor& file, uint64_t place, bool* out_locked) noexcept {
  struct flock lock = ByteLock(place);
  if (fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return errno;
  *out_locked = lock.l_type != F_UNLCK;
  return 0;
}

}  // namespace halyard
