// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The HAL_…_INIT macros, for callers that cannot use them. tests/abi holds that none is missing.
#include <algorithm>
#include <cstring>

#include "halyard/halyard.h"
#include "halyard/vulkan_interop.h"

namespace {

/// The caller may know less of the struct, or more: what the library does not know is 0, as are the bytes between
/// members, which are those of a constant.
template <class T>
void Initialize(const T& defaults, T* out, size_t struct_size) {
  if (!out || struct_size < sizeof(size_t)) return;
  std::memset(static_cast<void*>(out), 0, struct_size);
  std::memcpy(static_cast<void*>(out), &defaults, std::min(struct_size, sizeof(T)));
  out->struct_size = struct_size;
}

}  // namespace

void hal_buffer_params_initialize(hal_buffer_params_t* out, size_t struct_size) {
  static constexpr hal_buffer_params_t kDefaults = HAL_BUFFER_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_buffer_params_staging_initialize(hal_buffer_params_t* out, size_t struct_size) {
  static constexpr hal_buffer_params_t kDefaults = HAL_BUFFER_PARAMS_STAGING_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_strided_copy_params_initialize(hal_strided_copy_params_t* out, size_t struct_size) {
  static constexpr hal_strided_copy_params_t kDefaults = HAL_STRIDED_COPY_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_collective_params_initialize(hal_collective_params_t* out, size_t struct_size) {
  static constexpr hal_collective_params_t kDefaults = HAL_COLLECTIVE_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_dispatch_params_initialize(hal_dispatch_params_t* out, size_t struct_size) {
  static constexpr hal_dispatch_params_t kDefaults = HAL_DISPATCH_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_export_info_initialize(hal_export_info_t* out, size_t struct_size) {
  static constexpr hal_export_info_t kDefaults = HAL_EXPORT_INFO_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_vulkan_memory_initialize(hal_vulkan_memory_t* out, size_t struct_size) {
  static constexpr hal_vulkan_memory_t kDefaults = HAL_VULKAN_MEMORY_INIT;
  Initialize(kDefaults, out, struct_size);
}
