// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_wrapping.h"

#include <cinttypes>

#include "vulkan/device/vulkan_enabled_features.h"
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {
namespace {

Status CheckMembers(const hal_vulkan_device_t& given) {
  const struct {
    const void* member;
    const char* name;
  } needed[] = {{given.get_instance_proc_addr, "native->get_instance_proc_addr"},
                {given.instance, "native->instance"},
                {given.physical_device, "native->physical_device"},
                {given.device, "native->device"},
                {given.features, "native->features"}};
  for (const auto& one : needed) HAL_TRY(CheckGiven(one.name, one.member));
  if (given.extension_count > 0) HAL_TRY(CheckGiven("native->extensions", given.extensions));
  for (size_t i = 0; i < given.extension_count; ++i) {
    if (given.extensions[i]) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "native->extensions[%zu] is NULL", i);
  }
  if (given.api_version >= VK_API_VERSION_1_3) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "native->api_version is that of Vulkan %" PRIu32 ".%" PRIu32 "; the driver needs 1.3",
              VK_API_VERSION_MAJOR(given.api_version), VK_API_VERSION_MINOR(given.api_version));
}

Status CheckFeatures(const VkPhysicalDeviceFeatures2& given) {
  if (given.sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) return kOk;
  return FailWith(HAL_STATUS_INVALID_ARGUMENT, "native->features is no VkPhysicalDeviceFeatures2: its sType differs");
}

}  // namespace

Status ReadGivenDevice(const hal_vulkan_device_t* given, std::shared_ptr<const VulkanInstance>* out_instance,
                       VulkanTraits* out_traits) {
  HAL_TRY(CheckStruct("native", given));
  HAL_TRY(CheckMembers(*given));
  const auto& chain = *static_cast<const VkPhysicalDeviceFeatures2*>(given->features);
  HAL_TRY(CheckFeatures(chain));
  HAL_TRY(VulkanInstance::Wrap(reinterpret_cast<PFN_vkGetInstanceProcAddr>(given->get_instance_proc_addr),
                               static_cast<VkInstance>(given->instance), out_instance));
  VulkanFeatures features(/*has_robustness2=*/true);
  ReadEnabledFeatures(chain, &features);
  EnabledTraits enabled;
  enabled.family = given->queue_family;
  enabled.queues = given->queues;
  enabled.extensions = {given->extensions, given->extension_count};
  enabled.features = &features;
  return ReadTraits(**out_instance, static_cast<VkPhysicalDevice>(given->physical_device), enabled, out_traits);
}

}  // namespace halyard::vulkan
