// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/file/output_path.h"

namespace halyard {
namespace {

Status FailToWrite(const HostString& path, int error) {
  return FailWithErrno(error, HostString("cannot write '") + path + "'");
}

/// A name beside `path` that no other thread or process takes.
HostString TemporaryName(const HostString& path) {
  static std::atomic<unsigned> counter{0};
  char suffix[48];
  std::snprintf(suffix, sizeof(suffix), ".%ld-%u.tmp", static_cast<long>(getpid()),
                counter.fetch_add(1, std::memory_order_relaxed));
  return path + suffix;
}

}  // namespace

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(mode_, other.mode_);
  path_.swap(other.path_);
  temporary_.swap(other.temporary_);
  std::swap(file_, other.file_);
  std::swap(lock_, other.lock_);
  return *this;
}

AtomicFile::~AtomicFile() { Discard(); }

void AtomicFile::Discard() noexcept {
  file_.Close();
  if (!temporary_.empty()) unlinkat(folder_, temporary_.c_str(), 0);
  temporary_.clear();
  lock_.Close();
}

int AtomicFile::OpenTemporary() {
  constexpr int kTries = 100;  // a process that was killed may have left one of that name
  for (int i = 0; i < kTries; ++i) {
    HostString name = TemporaryName(path_);
    file_ = FileDescriptor(openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_));
    if (!file_ && errno == EEXIST) continue;
    if (!file_) return errno;
    temporary_ = std::move(name);
    return 0;
  }
  return EEXIST;
}

Status AtomicFile::Create(const char* path, SpecialFiles special) {
  Discard();
  folder_ = AT_FDCWD;
  mode_ = 0666;
  if (Status status = ResolveOutputPath(path, &path_); status != kOk) return Annotate(status, "cannot write: ");
  struct stat present = {};
  const bool replaces = stat(path_.c_str(), &present) == 0;
  if (replaces && !S_ISREG(present.st_mode)) {
    if (special == SpecialFiles::kUse) return OpenDirectly();
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot write '%s': it is there already and not a regular file", path);
  }
  if (const int error = OpenTemporary(); error != 0) return FailToWrite(path_, error);
  if (!replaces || fchmod(file_.get(), present.st_mode & 0777) == 0) return kOk;
  const int error = errno;
  Discard();
  return FailToWrite(path_, error);
}

// Between the two steps a process that takes it for abandoned may remove it.
int AtomicFile::OpenLocked() {
  while (true) {
    if (const int error = OpenTemporary(); error != 0) return error;
    lock_ = FileDescriptor(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
    if (!lock_) return errno;
    flock(lock_.get(), LOCK_EX);  // where that does not work, no process removes it
    struct stat info = {};
    if (fstat(lock_.get(), &info) != 0) return errno;
    if (info.st_nlink > 0) return 0;
  }
}

Status AtomicFile::CreateIn(const FileDescriptor& folder, const char* name) {
  Discard();
  folder_ = folder.get();
  mode_ = 0644;
  path_ = name;
  const int error = OpenLocked();
  if (error == 0) return kOk;
  Discard();
  return FailToWrite(path_, error);
}

bool AtomicFile::RemoveAbandoned(const FileDescriptor& folder, const char* name) {
  const FileDescriptor file(openat(folder.get(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && unlinkat(folder.get(), name, 0) == 0;
}

Status AtomicFile::OpenDirectly() {
  file_ = FileDescriptor(open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  return file_ ? kOk : FailToWrite(path_, errno);
}

Status AtomicFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FailToWrite(path_, written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return kOk;
}

Status AtomicFile::Commit() {
  const int error = CloseAndRename();
  if (error == 0) temporary_.clear();
  Discard();
  return error == 0 ? kOk : FailToWrite(path_, error);
}

int AtomicFile::CloseAndRename() {
  const bool direct = temporary_.empty();
  // The contents must be on the medium before the name is. Some file systems report a full disk no earlier.
  const int failure = direct || fsync(file_.get()) == 0 ? 0 : errno;
  if (!file_.Close() && failure == 0) return errno;
  if (direct || failure != 0) return failure;
  return renameat(folder_, temporary_.c_str(), folder_, path_.c_str()) == 0 ? 0 : errno;
}

Status WriteFileAtomically(std::string_view path, std::string_view contents) {
  AtomicFile file;
  HAL_TRY(file.Create(HostString(path).c_str()));
  HAL_TRY(file.Write(std::as_bytes(std::span(contents))));
  return file.Commit();
}

}  // namespace halyard
