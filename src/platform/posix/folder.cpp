// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "platform/posix/posix_file.h"

namespace halyard {

int ReadFacts(const char* path, FileFacts* out) noexcept {
  struct stat info = {};
  if (stat(path, &info) != 0) return errno;
  *out = FactsOf(info);
  return 0;
}

std::string_view ReadLink(const char* path, std::span<char> room) noexcept {
  const ssize_t length = readlink(path, room.data(), room.size());
  return length > 0 ? std::string_view(room.data(), static_cast<size_t>(length)) : std::string_view();
}

int CheckMayRead(const char* path) noexcept { return access(path, R_OK) == 0 ? 0 : errno; }

bool MayRun(const char* path) noexcept { return access(path, X_OK) == 0; }

int CheckMayWrite(const char* path) noexcept { return access(path, W_OK) == 0 ? 0 : errno; }

int CheckMayWriteIn(int folder) noexcept {
  return faccessat(PosixFolder(folder), ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int Remove(int folder, const char* path) noexcept { return unlinkat(PosixFolder(folder), path, 0) == 0 ? 0 : errno; }

int Rename(int folder, const char* from, const char* to) noexcept {
  return renameat(PosixFolder(folder), from, PosixFolder(folder), to) == 0 ? 0 : errno;
}

int Touch(int folder, const char* path) noexcept {
  return utimensat(PosixFolder(folder), path, nullptr, 0) == 0 ? 0 : errno;
}

int MakeFolder(const char* path) noexcept { return mkdir(path, 0700) == 0 ? 0 : errno; }

int MakeNewFolder(char* path) noexcept { return mkdtemp(path) ? 0 : errno; }

int RemoveFolder(const char* path) noexcept { return rmdir(path) == 0 ? 0 : errno; }

void ListFolder(int folder, void (*each)(void* data, const char* name, const FileFacts& facts), void* data) {
  struct Closer {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  const int listed = openat(PosixFolder(folder), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;
  const std::unique_ptr<DIR, Closer> directory(fdopendir(listed));
  if (!directory) {
    close(listed);
    return;
  }
  while (const dirent* const entry = readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe): of its own
    struct stat info = {};
    if (fstatat(PosixFolder(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    each(data, entry->d_name, FactsOf(info));
  }
}

std::span<const char* const> TemporaryFolders() noexcept {
  static constexpr const char* kFolders[] = {"/tmp", "/dev/shm", "/var/tmp"};
  return kFolders;
}

// Folders of temporary files are often mounted such that it may not.
bool MayHoldCode(const char* folder) noexcept {
#if defined(ST_NOEXEC)
  struct statvfs info = {};
  return statvfs(folder, &info) != 0 || (info.f_flag & ST_NOEXEC) == 0;
#else
  static_cast<void>(folder);
  return true;
#endif
}

}  // namespace halyard
