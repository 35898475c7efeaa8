// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/file_contents.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace halyard {
namespace {

Status FailToRead(const HostString& path, int error) {
  return FailWithErrno(error, HostString("cannot read '") + path + "'");
}

}  // namespace

Status FileReader::Open(const char* path, SpecialFiles special) {
  // Without O_NONBLOCK opening a pipe would wait for its other end before it is found to be no regular file.
  const int waits = special == SpecialFiles::kUse ? 0 : O_NONBLOCK;
  return Take(FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | waits)), path, special);
}

Status FileReader::Take(FileDescriptor file, const char* path, SpecialFiles special) {
  path_ = path;
  file_ = std::move(file);
  struct stat info = {};
  if (!file_ || fstat(file_.get(), &info) != 0) return FailToRead(path_, errno);
  if (special == SpecialFiles::kRefuse && !S_ISREG(info.st_mode)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "cannot read '%s': not a regular file", path);
  }
  expected_size_ = S_ISREG(info.st_mode) ? static_cast<size_t>(info.st_size) : 0;
  return kOk;
}

Status FileReader::Read(std::span<std::byte> room, size_t* out_size) {
  ssize_t count = 0;
  do {
    count = read(file_.get(), room.data(), room.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) return FailToRead(path_, errno);
  *out_size = static_cast<size_t>(count);
  return kOk;
}

Status FileReader::FailTooLong(uint64_t most) const {
  return Fail(HAL_STATUS_OUT_OF_RANGE, "cannot read '%s': it has more than %llu bytes", path_.c_str(),
              static_cast<unsigned long long>(most));
}

}  // namespace halyard
