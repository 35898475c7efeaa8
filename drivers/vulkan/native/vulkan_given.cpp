// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_given.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace halyard::vulkan {

Status CheckDescriptor(int32_t fd) {
  if (fcntl(fd, F_GETFD) >= 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "fd is %d, which is no open file descriptor", fd);
}

Status OwnedDescriptor::Duplicate(int32_t fd) {
  fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return fd_ >= 0 ? kOk : FailWithErrno(errno, "a second file descriptor");
}

OwnedDescriptor::~OwnedDescriptor() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace halyard::vulkan
