// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file_contents.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace halyard {
namespace {

/// An open file, closed at the end of its scope.
class OpenedFile {
 public:
  // Without O_NONBLOCK opening a pipe would wait for its other end before it is found to be no regular file.
  explicit OpenedFile(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenedFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace

Status FileContents::Read(const char* path) {
  const OpenedFile file(path);
  if (file.descriptor() < 0) {
    const hal_status_t status = errno == EACCES ? HAL_STATUS_PERMISSION_DENIED : HAL_STATUS_NOT_FOUND;
    return Fail(status, "cannot open '%s': %s", path, std::strerror(errno));
  }
  struct stat info = {};
  if (fstat(file.descriptor(), &info) == 0 && !S_ISREG(info.st_mode)) {  // a device may go on for ever
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%s': not a regular file", path);
  }
  return ReadAll(file.descriptor(), path);
}

Status FileContents::ReadAll(int descriptor, const char* path) {
  constexpr size_t kStep = size_t{256} << 10;
  size_t size = 0;
  while (true) {
    bytes_.resize(size + kStep);
    const ssize_t count = read(descriptor, bytes_.data() + size, kStep);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(HAL_STATUS_DATA_LOSS, "cannot read '%s': %s", path, std::strerror(errno));
    size += static_cast<size_t>(count);
    if (count == 0) break;
  }
  bytes_.resize(size);
  return kOk;
}

}  // namespace halyard
