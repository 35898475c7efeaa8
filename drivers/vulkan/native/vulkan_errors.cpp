// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_errors.h"

#include "driver_kit/device/vendor_library.h"

namespace halyard::vulkan {
namespace {

struct ResultName {
  VkResult result;
  hal_status_t status;
  const char* name;
  const char* hint = "";
};

#define HAL_VK_RESULT(name, status, ...) \
  { VK_##name, HAL_STATUS_##status, "VK_" #name __VA_OPT__(, ) __VA_ARGS__ }
constexpr ResultName kResults[] = {
    HAL_VK_RESULT(NOT_READY, DEADLINE_EXCEEDED),
    HAL_VK_RESULT(TIMEOUT, DEADLINE_EXCEEDED),
    HAL_VK_RESULT(INCOMPLETE, INTERNAL),
    HAL_VK_RESULT(ERROR_OUT_OF_HOST_MEMORY, RESOURCE_EXHAUSTED),
    HAL_VK_RESULT(ERROR_OUT_OF_DEVICE_MEMORY, RESOURCE_EXHAUSTED),
    HAL_VK_RESULT(ERROR_INITIALIZATION_FAILED, UNAVAILABLE),
    HAL_VK_RESULT(ERROR_DEVICE_LOST, DEVICE_LOST),
    HAL_VK_RESULT(ERROR_MEMORY_MAP_FAILED, RESOURCE_EXHAUSTED,
                  " (the memory cannot be mapped: the process may have as many mappings as the system allows)"),
    HAL_VK_RESULT(ERROR_LAYER_NOT_PRESENT, UNAVAILABLE),
    HAL_VK_RESULT(ERROR_EXTENSION_NOT_PRESENT, UNAVAILABLE),
    HAL_VK_RESULT(ERROR_FEATURE_NOT_PRESENT, UNAVAILABLE),
    HAL_VK_RESULT(ERROR_INCOMPATIBLE_DRIVER, UNAVAILABLE),
    HAL_VK_RESULT(ERROR_TOO_MANY_OBJECTS, RESOURCE_EXHAUSTED,
                  " (of memory, the device allows maxMemoryAllocationCount allocations at a time)"),
    HAL_VK_RESULT(ERROR_FRAGMENTED_POOL, RESOURCE_EXHAUSTED),
    HAL_VK_RESULT(ERROR_UNKNOWN, INTERNAL),
    HAL_VK_RESULT(ERROR_OUT_OF_POOL_MEMORY, RESOURCE_EXHAUSTED),
    HAL_VK_RESULT(ERROR_INVALID_EXTERNAL_HANDLE, INCOMPATIBLE),
    HAL_VK_RESULT(ERROR_FRAGMENTATION, RESOURCE_EXHAUSTED),
    HAL_VK_RESULT(ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, INTERNAL),
    HAL_VK_RESULT(PIPELINE_COMPILE_REQUIRED, INTERNAL),
    HAL_VK_RESULT(ERROR_VALIDATION_FAILED_EXT, INTERNAL),
    HAL_VK_RESULT(ERROR_INVALID_SHADER_NV, INCOMPATIBLE),
    HAL_VK_RESULT(ERROR_NOT_PERMITTED_KHR, UNAVAILABLE),
};
#undef HAL_VK_RESULT

}  // namespace

Status FailCall(const char* call, VkResult result) {
  for (const ResultName& known : kResults) {
    if (known.result == result) return Fail(known.status, "%s: %s%s", call, known.name, known.hint);
  }
  return FailVendorCall(HAL_STATUS_INTERNAL, call, nullptr, nullptr, static_cast<int>(result));
}

}  // namespace halyard::vulkan
