// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_library.h"

namespace halyard::vulkan {
namespace {

Status FailMissing(const char* name) { return Fail(HAL_STATUS_UNAVAILABLE, "the Vulkan driver has no %s", name); }

}  // namespace

Status VulkanLibrary::Load() {
#if defined(_WIN32)
  static constexpr const char* kFiles[] = {"vulkan-1.dll"};
#else
  static constexpr const char* kFiles[] = {"libvulkan.so.1", "libvulkan.1.dylib", "libMoltenVK.dylib"};
#endif
  HAL_TRY(file_.Open("Vulkan loader", "HALYARD_VULKAN_LIBRARY", kFiles));
  get_proc_address_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(file_.Find("vkGetInstanceProcAddr"));
  if (!get_proc_address_) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no function vkGetInstanceProcAddr", path().c_str());
  }
#define HAL_VK_GLOBAL(name)                                                          \
  vk_.name = reinterpret_cast<PFN_vk##name>(get_proc_address_(nullptr, "vk" #name)); \
  if (!vk_.name) return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no function vk%s", path().c_str(), #name);
#include "vulkan/native/vulkan_functions.inc"
  return kOk;
}

Status FindFunctions(PFN_vkGetInstanceProcAddr get_proc_address, VkInstance instance,
                     InstanceFunctions* out_functions) {
#define HAL_VK_INSTANCE(name)                                                                   \
  out_functions->name = reinterpret_cast<PFN_vk##name>(get_proc_address(instance, "vk" #name)); \
  if (!out_functions->name) return FailMissing("vk" #name);
#define HAL_VK_INSTANCE_OPTIONAL(name) \
  out_functions->name = reinterpret_cast<PFN_vk##name>(get_proc_address(instance, "vk" #name));
#include "vulkan/native/vulkan_functions.inc"
  return kOk;
}

Status FindFunctions(VkDevice device, const InstanceFunctions& instance, DeviceFunctions* out_functions) {
#define HAL_VK_DEVICE(name)                                                                             \
  out_functions->name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name)); \
  if (!out_functions->name) return FailMissing("vk" #name);
#define HAL_VK_DEVICE_OPTIONAL(name) \
  out_functions->name = reinterpret_cast<PFN_vk##name>(instance.GetDeviceProcAddr(device, "vk" #name));
#include "vulkan/native/vulkan_functions.inc"
  return kOk;
}

}  // namespace halyard::vulkan
