// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/file_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "platform/posix/posix_file.h"

namespace halyard {
namespace {

#if defined(O_PATH)
constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

int FlagsOf(FileUse use) {
  if (use == FileUse::kRead) return O_RDONLY;
  return use == FileUse::kWrite ? O_WRONLY : O_RDWR;
}

/// Calls `move`, which answers as read() does, until no signal has interrupted it.
template <class Move>
int Repeat(size_t* out_count, const Move& move) {
  ssize_t count = 0;
  do {
    count = move();
  } while (count < 0 && errno == EINTR);
  *out_count = count > 0 ? static_cast<size_t>(count) : 0;
  return count < 0 ? errno : 0;
}

}  // namespace

bool FileDescriptor::Close() noexcept { return number_ < 0 || close(std::exchange(number_, -1)) == 0; }

int FileDescriptor::Take(int number) noexcept {
  const int error = number < 0 ? errno : 0;
  *this = FileDescriptor(number);
  return error;
}

int FileDescriptor::Open(int folder, const char* path, FileUse use, unsigned bits) noexcept {
  // Without O_NONBLOCK opening a pipe would wait for its other end before it is found to be no regular file.
  const int how = ((bits & kOpenWaits) ? 0 : O_NONBLOCK) | ((bits & kOpenNoLinks) ? O_NOFOLLOW : 0);
  return Take(openat(PosixFolder(folder), path, FlagsOf(use) | how | O_CLOEXEC | O_NOCTTY));
}

int FileDescriptor::Create(int folder, const char* path, uint32_t permissions) noexcept {
  return Take(openat(PosixFolder(folder), path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions));
}

int FileDescriptor::OpenFolder(int folder, const char* path) noexcept {
  return Take(openat(PosixFolder(folder), path, kFolder));
}

int FileDescriptor::Duplicate(int descriptor) noexcept { return Take(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

int FileDescriptor::ReadFacts(FileFacts* out) const noexcept {
  struct stat info = {};
  if (fstat(number_, &info) != 0) return errno;
  *out = FactsOf(info);
  return 0;
}

int FileDescriptor::SetPermissions(uint32_t permissions) const noexcept {
  return fchmod(number_, static_cast<mode_t>(permissions)) == 0 ? 0 : errno;
}

int FileDescriptor::Read(std::span<std::byte> room, size_t* out_count) const noexcept {
  return Repeat(out_count, [&] { return read(number_, room.data(), room.size()); });
}

int FileDescriptor::Write(std::span<const std::byte> bytes, size_t* out_count) const noexcept {
  return Repeat(out_count, [&] { return write(number_, bytes.data(), bytes.size()); });
}

int FileDescriptor::ReadAt(uint64_t offset, std::span<std::byte> room, size_t* out_count) const noexcept {
  return Repeat(out_count, [&] { return pread(number_, room.data(), room.size(), static_cast<off_t>(offset)); });
}

int FileDescriptor::WriteAt(uint64_t offset, std::span<const std::byte> bytes, size_t* out_count) const noexcept {
  return Repeat(out_count, [&] { return pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
}

int FileDescriptor::Sync() const noexcept { return fsync(number_) == 0 ? 0 : errno; }

int FileDescriptor::Lock(bool waits) const noexcept {
  return flock(number_, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

int ReadDescriptorUse(int descriptor, DescriptorUse* out) noexcept {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return errno;
  bool usable = true;
#ifdef O_PATH
  usable = (flags & O_PATH) == 0;
#endif
  const int mode = flags & O_ACCMODE;
  *out = {usable && mode != O_WRONLY, usable && mode != O_RDONLY, (flags & O_APPEND) != 0};
  return 0;
}

}  // namespace halyard
