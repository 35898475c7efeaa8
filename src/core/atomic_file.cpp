// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/atomic_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "common/host_memory.h"
#include "common/system_error.h"
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace halyard {
namespace {

/// A file under a name of its own, removed unless it is renamed.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_) std::fclose(file_);
    if (!name_.empty()) std::remove(name_.c_str());
  }

  Status CreateBeside(const HostString& path);
  Status Write(std::string_view contents);
  Status RenameTo(const HostString& path);

 private:
  HostString name_;
  std::FILE* file_ = nullptr;
};

HostString RandomSuffix() {
  std::array<char, 24> suffix;
  std::snprintf(suffix.data(), suffix.size(), ".%08x.tmp", std::random_device()());
  return suffix.data();
}

Status TemporaryFile::CreateBeside(const HostString& path) {
  HostString name = path + RandomSuffix();
  file_ = std::fopen(name.c_str(), "wbx");
  if (!file_) return FailWithErrno(errno, HostString("'") + name + "'");
  name_ = std::move(name);
  return kOk;
}

/// Asks the system to have the file on its medium, where it can be asked: before the new name is.
bool Synchronize(std::FILE* file) {
#if __has_include(<unistd.h>)
  return fsync(fileno(file)) == 0;
#else
  return file != nullptr;
#endif
}

Status TemporaryFile::Write(std::string_view contents) {
  bool written = std::fwrite(contents.data(), 1, contents.size(), file_) == contents.size();
  written = written && std::fflush(file_) == 0 && Synchronize(file_);
  int error = written ? 0 : errno;
  if (std::fclose(std::exchange(file_, nullptr)) != 0 && written) error = errno;
  return error == 0 ? kOk : FailWithErrno(error, HostString("writing '") + name_ + "'");
}

Status TemporaryFile::RenameTo(const HostString& path) {
  std::error_code error;
  std::filesystem::rename(name_.c_str(), path.c_str(), error);
  if (error) return FailWithErrno(error.value(), HostString("'") + path + "'");
  name_.clear();
  return kOk;
}

/// A device or a pipe must not be replaced by a file of its name.
Status CheckReplaceable(const HostString& path) {
  std::error_code ignored;  // what matters shows when the file is made
  const std::filesystem::file_status status = std::filesystem::status(path.c_str(), ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%s' exists and is not a regular file", path.c_str());
}

}  // namespace

Status WriteFileAtomically(std::string_view path, std::string_view contents) {
  const HostString name(path);
  if (Status status = CheckReplaceable(name); status != kOk) return status;
  TemporaryFile file;
  if (Status status = file.CreateBeside(name); status != kOk) return status;
  if (Status status = file.Write(contents); status != kOk) return status;
  return file.RenameTo(name);
}

}  // namespace halyard
