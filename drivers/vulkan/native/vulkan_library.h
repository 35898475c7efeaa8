// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's loader, opened when the driver is asked for, and the tables of its functions.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_LIBRARY_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_LIBRARY_H_

#include "base/status.h"
#include "driver_kit/device/vendor_library.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

/// Functions that need no instance.
struct GlobalFunctions {
#define HAL_VK_GLOBAL(name) PFN_vk##name name = nullptr;
#include "vulkan/native/vulkan_functions.inc"
};

/// Functions of an instance and its physical devices.
struct InstanceFunctions {
#define HAL_VK_INSTANCE(name) PFN_vk##name name = nullptr;
#define HAL_VK_INSTANCE_OPTIONAL(name) PFN_vk##name name = nullptr;
#include "vulkan/native/vulkan_functions.inc"
};

/// Functions of a device.
struct DeviceFunctions {
#define HAL_VK_DEVICE(name) PFN_vk##name name = nullptr;
#define HAL_VK_DEVICE_OPTIONAL(name) PFN_vk##name name = nullptr;
#include "vulkan/native/vulkan_functions.inc"
};

/// The loader. Opened once for the process.
class VulkanLibrary {
 public:
  static Status Get(const VulkanLibrary** out_library) { return LoadOnce(out_library); }
  /// For LoadOnce(). UNAVAILABLE, with what is missing.
  Status Load();

  const GlobalFunctions& vk() const { return vk_; }
  PFN_vkGetInstanceProcAddr get_proc_address() const { return get_proc_address_; }
  const HostString& path() const { return file_.path(); }

 private:
  VendorLibrary file_;
  PFN_vkGetInstanceProcAddr get_proc_address_ = nullptr;
  GlobalFunctions vk_;
};

/// UNAVAILABLE, with the function that is missing.
Status FindFunctions(PFN_vkGetInstanceProcAddr get_proc_address, VkInstance instance, InstanceFunctions* out_functions);
/// UNAVAILABLE, with the function that is missing.
Status FindFunctions(VkDevice device, const InstanceFunctions& instance, DeviceFunctions* out_functions);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_LIBRARY_H_
