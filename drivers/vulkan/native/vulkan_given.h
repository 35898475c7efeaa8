// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of the extension halyard.vulkan.interop.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_GIVEN_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_GIVEN_H_

#include <cstdint>

#include "base/status.h"
#include "driver_kit/device/interop_checks.h"
#include "platform/file_descriptor.h"

namespace halyard::vulkan {

/// INVALID_ARGUMENT also for a struct that its caller has not set up.
template <class T>
Status CheckStruct(const char* name, const T* given) {
  HAL_TRY(CheckGiven(name, given));
  if (given->struct_size >= sizeof(T)) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s->struct_size is %zu; expected %zu", name, given->struct_size, sizeof(T));
}

/// Fills a struct in that CheckStruct() has seen; its caller may know more of it.
template <class T>
void WriteStruct(T value, T* out) {
  value.struct_size = out->struct_size;
  *out = value;
}

/// INVALID_ARGUMENT for a number that no open file descriptor has.
Status CheckDescriptor(int32_t fd);

/// A second descriptor of the same file, as Vulkan keeps what it imports: Release() it then.
Status DuplicateDescriptor(int32_t fd, FileDescriptor* out);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_GIVEN_H_
