// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/replacement_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace halyard {
namespace {

hal_status_t StatusOf(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return HAL_STATUS_PERMISSION_DENIED;
    case ENOENT:
    case ENOTDIR:
      return HAL_STATUS_NOT_FOUND;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return HAL_STATUS_INVALID_ARGUMENT;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return HAL_STATUS_RESOURCE_EXHAUSTED;
    default:
      return HAL_STATUS_UNAVAILABLE;
  }
}

Status FailToWrite(const HostString& path, int error) {
  return Fail(StatusOf(error), "cannot write '%s': %s", path.c_str(), std::strerror(error));
}

/// Where a path leads if it is a link to something; else the path itself.
HostString Resolve(const char* path) {
  struct Freer {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Freer> resolved(realpath(path, nullptr));
  return resolved ? resolved.get() : path;
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

ReplacementFile::~ReplacementFile() { Discard(); }

void ReplacementFile::Discard() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

Status ReplacementFile::Create(const char* path) {
  Discard();
  path_ = Resolve(path);
  struct stat present = {};
  const bool replaces = stat(path_.c_str(), &present) == 0;
  if (replaces && !S_ISREG(present.st_mode)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot write '%s': it is there already and not a regular file", path);
  }
  HostString name = TemporaryName(path_);
  descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return FailToWrite(path_, errno);
  temporary_ = std::move(name);
  if (!replaces || fchmod(descriptor_, present.st_mode & 0777) == 0) return kOk;
  const int error = errno;
  Discard();
  return FailToWrite(path_, error);
}

Status ReplacementFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FailToWrite(path_, written < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return kOk;
}

Status ReplacementFile::Commit() {
  // Some file systems report a full disk no earlier.
  const int closed = close(std::exchange(descriptor_, -1));
  if (closed == 0 && rename(temporary_.c_str(), path_.c_str()) == 0) {
    temporary_.clear();
    return kOk;
  }
  const int error = errno;
  Discard();
  return FailToWrite(path_, error);
}

}  // namespace halyard
