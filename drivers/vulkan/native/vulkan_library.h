// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's loader, opened when the driver is asked for, and the tables of its functions.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_LIBRARY_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_LIBRARY_H_

#include <type_traits>

#include "base/status.h"
#include "base/vendor_gate.h"
#include "driver_kit/device/vendor_library.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

/// The way of the library's threads to the loader and what it loads.
inline constinit VendorGate g_vulkan_gate;

/// A function of Vulkan. A thread of the library that calls it once the process ends gets VK_ERROR_DEVICE_LOST, or
/// nothing happens.
template <class Pointer>
class Function;
template <class Result, class... Parameters>
class Function<Result(VKAPI_PTR*)(Parameters...)> {
 public:
  using Pointer = Result(VKAPI_PTR*)(Parameters...);
  constexpr Function(Pointer pointer = nullptr) : pointer_(pointer) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return pointer_ != nullptr; }
  /// For calls that are not kept out.
  Pointer get() const { return pointer_; }
  Result operator()(Parameters... parameters) const {
    const VendorGate::Scope scope(g_vulkan_gate);
    if (!scope.open()) return Refused();
    return pointer_(parameters...);
  }

 private:
  static Result Refused() {
    if constexpr (std::is_same_v<Result, VkResult>) {
      return VK_ERROR_DEVICE_LOST;
    } else {
      return Result();
    }
  }

  Pointer pointer_;
};

// NOLINTBEGIN(bugprone-macro-parentheses): names of members
/// Functions that need no instance.
struct GlobalFunctions {
#define HAL_VK_GLOBAL(name) Function<PFN_vk##name> name;
#include "vulkan/native/vulkan_functions.inc"
};

/// Functions of an instance and its physical devices.
struct InstanceFunctions {
#define HAL_VK_INSTANCE(name) Function<PFN_vk##name> name;
#define HAL_VK_INSTANCE_OPTIONAL(name) Function<PFN_vk##name> name;
#include "vulkan/native/vulkan_functions.inc"
};

/// Functions of a device.
struct DeviceFunctions {
#define HAL_VK_DEVICE(name) Function<PFN_vk##name> name;
#define HAL_VK_DEVICE_OPTIONAL(name) Function<PFN_vk##name> name;
#include "vulkan/native/vulkan_functions.inc"
};
// NOLINTEND(bugprone-macro-parentheses)

/// The loader. Opened once for the process.
class VulkanLibrary {
 public:
  static constexpr bool kWorksAfterFork = true;  // a child makes an instance of its own
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
