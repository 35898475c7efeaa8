// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of Vulkan as statuses.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_ERRORS_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_ERRORS_H_

#include "base/status.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

/// Fails with the call and the result's name: "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY".
Status FailCall(const char* call, VkResult result);

inline Status CheckCall(const char* call, VkResult result) {
  if (result == VK_SUCCESS) [[likely]]
    return kOk;
  return FailCall(call, result);
}

/// Calls a function of a table, and turns its result into a status.
#define HAL_VK(table, name, ...) ::halyard::vulkan::CheckCall("vk" #name, (table).name(__VA_ARGS__))

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_ERRORS_H_
