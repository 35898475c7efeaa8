// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An instance of Vulkan, with or without the layers that check its use.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_INSTANCE_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_INSTANCE_H_

#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/native/vulkan_library.h"

namespace halyard::vulkan {

/// What the layers of Khronos check; their messages go to the library's log.
enum class Validation { kOff, kOn, kSync };

class VulkanInstance : public HostObject {
 public:
  /// UNAVAILABLE without a driver, without Vulkan 1.3, or without the layers.
  static Status Create(const VulkanLibrary& library, Validation validation,
                       std::shared_ptr<const VulkanInstance>* out_instance);
  /// The application's own instance, which it destroys. UNAVAILABLE without a function of Vulkan 1.3.
  static Status Wrap(PFN_vkGetInstanceProcAddr get_proc_address, VkInstance handle,
                     std::shared_ptr<const VulkanInstance>* out_instance);
  ~VulkanInstance();
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;

  Status ListPhysicalDevices(HostVector<VkPhysicalDevice>* out_devices) const;
  const InstanceFunctions& vk() const { return vk_; }
  VkInstance handle() const { return handle_; }
  PFN_vkGetInstanceProcAddr get_proc_address() const { return get_proc_address_; }

 private:
  VulkanInstance() = default;
  Status Open(const VulkanLibrary& library, Validation validation);
  Status Listen();

  VkInstance handle_ = VK_NULL_HANDLE;
  bool is_wrapped_ = false;
  PFN_vkGetInstanceProcAddr get_proc_address_ = nullptr;
  InstanceFunctions vk_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_INSTANCE_H_
