// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/output_path.h"
#include "base/system_error.h"

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

ReplacementFile::~ReplacementFile() { Discard(); }

void ReplacementFile::Discard() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

int ReplacementFile::OpenTemporary() {
  constexpr int kTries = 100;  // a process that was killed may have left one of that name
  for (int i = 0; i < kTries; ++i) {
    HostString name = TemporaryName(path_);
    descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) return errno;
    temporary_ = std::move(name);
    return 0;
  }
  return EEXIST;
}

Status ReplacementFile::Create(const char* path) {
  Discard();
  if (Status status = ResolveOutputPath(path, &path_); status != kOk) return Annotate(status, "cannot write: ");
  struct stat present = {};
  const bool replaces = stat(path_.c_str(), &present) == 0;
  if (replaces && !S_ISREG(present.st_mode)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot write '%s': it is there already and not a regular file", path);
  }
  if (const int error = OpenTemporary(); error != 0) return FailToWrite(path_, error);
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
  const int error = CloseAndRename();
  if (error == 0) temporary_.clear();
  Discard();
  return error == 0 ? kOk : FailToWrite(path_, error);
}

int ReplacementFile::CloseAndRename() {
  // The contents must be on the medium before the name is. Some file systems report a full disk no earlier.
  const int failure = fsync(descriptor_) == 0 ? 0 : errno;
  if (close(std::exchange(descriptor_, -1)) != 0 && failure == 0) return errno;
  if (failure != 0) return failure;
  return rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno;
}

Status WriteFileAtomically(std::string_view path, std::string_view contents) {
  ReplacementFile file;
  if (Status status = file.Create(HostString(path).c_str()); status != kOk) return status;
  if (Status status = file.Write(std::as_bytes(std::span(contents))); status != kOk) return status;
  return file.Commit();
}

}  // namespace halyard
