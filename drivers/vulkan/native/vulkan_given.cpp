// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {

Status CheckDescriptor(int32_t fd) {
  DescriptorUse use;
  if (ReadDescriptorUse(fd, &use) == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "fd is %d, which is no open file descriptor", fd);
}

Status DuplicateDescriptor(int32_t fd, FileDescriptor* out) {
  const int error = out->Duplicate(fd);
  return error == 0 ? kOk : FailWithErrno(error, "a second file descriptor");
}

}  // namespace halyard::vulkan
