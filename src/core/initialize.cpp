// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The HAL_…_INIT macros for callers that cannot use them. tests/abi holds that none is missing.
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
void hal_memory_heap_initialize(hal_memory_heap_t* out, size_t struct_size) {
  static constexpr hal_memory_heap_t kDefaults = HAL_MEMORY_HEAP_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_allocator_statistics_initialize(hal_allocator_statistics_t* out, size_t struct_size) {
  static constexpr hal_allocator_statistics_t kDefaults = HAL_ALLOCATOR_STATISTICS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_external_memory_initialize(hal_external_memory_t* out, size_t struct_size) {
  static constexpr hal_external_memory_t kDefaults = HAL_EXTERNAL_MEMORY_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_host_allocator_initialize(hal_host_allocator_t* out, size_t struct_size) {
  static constexpr hal_host_allocator_t kDefaults = HAL_HOST_ALLOCATOR_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_blob_store_initialize(hal_blob_store_t* out, size_t struct_size) {
  static constexpr hal_blob_store_t kDefaults = HAL_BLOB_STORE_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_buffer_info_initialize(hal_buffer_info_t* out, size_t struct_size) {
  static constexpr hal_buffer_info_t kDefaults = HAL_BUFFER_INFO_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_command_buffer_params_initialize(hal_command_buffer_params_t* out, size_t struct_size) {
  static constexpr hal_command_buffer_params_t kDefaults = HAL_COMMAND_BUFFER_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_strided_copy_params_initialize(hal_strided_copy_params_t* out, size_t struct_size) {
  static constexpr hal_strided_copy_params_t kDefaults = HAL_STRIDED_COPY_PARAMS_INIT;
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
void hal_export_properties_initialize(hal_export_properties_t* out, size_t struct_size) {
  static constexpr hal_export_properties_t kDefaults = HAL_EXPORT_PROPERTIES_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_executable_params_initialize(hal_executable_params_t* out, size_t struct_size) {
  static constexpr hal_executable_params_t kDefaults = HAL_EXECUTABLE_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_executable_cache_params_initialize(hal_executable_cache_params_t* out, size_t struct_size) {
  static constexpr hal_executable_cache_params_t kDefaults = HAL_EXECUTABLE_CACHE_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_function_signature_initialize(hal_function_signature_t* out, size_t struct_size) {
  static constexpr hal_function_signature_t kDefaults = HAL_FUNCTION_SIGNATURE_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_semaphore_params_initialize(hal_semaphore_params_t* out, size_t struct_size) {
  static constexpr hal_semaphore_params_t kDefaults = HAL_SEMAPHORE_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_submit_params_initialize(hal_submit_params_t* out, size_t struct_size) {
  static constexpr hal_submit_params_t kDefaults = HAL_SUBMIT_PARAMS_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_profiling_sink_initialize(hal_profiling_sink_t* out, size_t struct_size) {
  static constexpr hal_profiling_sink_t kDefaults = HAL_PROFILING_SINK_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_driver_info_initialize(hal_driver_info_t* out, size_t struct_size) {
  static constexpr hal_driver_info_t kDefaults = HAL_DRIVER_INFO_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_device_summary_initialize(hal_device_summary_t* out, size_t struct_size) {
  static constexpr hal_device_summary_t kDefaults = HAL_DEVICE_SUMMARY_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_device_properties_initialize(hal_device_properties_t* out, size_t struct_size) {
  static constexpr hal_device_properties_t kDefaults = HAL_DEVICE_PROPERTIES_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_executor_initialize(hal_executor_t* out, size_t struct_size) {
  static constexpr hal_executor_t kDefaults = HAL_EXECUTOR_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_peer_properties_initialize(hal_peer_properties_t* out, size_t struct_size) {
  static constexpr hal_peer_properties_t kDefaults = HAL_PEER_PROPERTIES_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_vulkan_device_initialize(hal_vulkan_device_t* out, size_t struct_size) {
  static constexpr hal_vulkan_device_t kDefaults = HAL_VULKAN_DEVICE_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_vulkan_queue_initialize(hal_vulkan_queue_t* out, size_t struct_size) {
  static constexpr hal_vulkan_queue_t kDefaults = HAL_VULKAN_QUEUE_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_vulkan_buffer_initialize(hal_vulkan_buffer_t* out, size_t struct_size) {
  static constexpr hal_vulkan_buffer_t kDefaults = HAL_VULKAN_BUFFER_INIT;
  Initialize(kDefaults, out, struct_size);
}
void hal_vulkan_memory_initialize(hal_vulkan_memory_t* out, size_t struct_size) {
  static constexpr hal_vulkan_memory_t kDefaults = HAL_VULKAN_MEMORY_INIT;
  Initialize(kDefaults, out, struct_size);
}
