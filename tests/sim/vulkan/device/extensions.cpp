// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of extensions, without the hidden ones.
#include <vector>

#include "vulkan/device/physical_device.h"
#include "vulkan/objects/lists.h"
#include "vulkan/real.h"

namespace halyard::vulkan_sim::own {
namespace {

template <typename Ask>
VkResult ListExtensions(const Settings& settings, Ask ask, const std::vector<VkExtensionProperties>& offered,
                        uint32_t* count, VkExtensionProperties* properties) {
  std::vector<VkExtensionProperties> all;
  const VkResult result = AskForList(ask, all);
  if (result != VK_SUCCESS) return result;
  all.insert(all.end(), offered.begin(), offered.end());
  std::erase_if(
      all, [&](const VkExtensionProperties& extension) { return settings.HidesExtension(extension.extensionName); });
  return AnswerList(all, count, properties);
}

}  // namespace

VkResult EnumerateInstanceExtensionProperties(const char* layer, uint32_t* count, VkExtensionProperties* properties) {
  const auto ask = [&](uint32_t* found_count, VkExtensionProperties* found) {
    return real::EnumerateInstanceExtensionProperties(layer, found_count, found);
  };
  return ListExtensions(ReadSettings(), ask, {}, count, properties);
}

VkResult EnumerateDeviceExtensionProperties(VkPhysicalDevice handle, const char* layer, uint32_t* count,
                                            VkExtensionProperties* properties) {
  const auto device = FindPhysicalDevice(handle);
  const auto ask = [&](uint32_t* found_count, VkExtensionProperties* found) {
    return real::EnumerateDeviceExtensionProperties(device->real, layer, found_count, found);
  };
  std::vector<VkExtensionProperties> offered;
  if (device->settings->budget != 0) {
    offered.push_back({VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, VK_EXT_MEMORY_BUDGET_SPEC_VERSION});
  }
  return ListExtensions(*device->settings, ask, offered, count, properties);
}

}  // namespace halyard::vulkan_sim::own
