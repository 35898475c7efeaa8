// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_traits.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "vulkan/native/vulkan_capabilities.h"
#include "vulkan/native/vulkan_errors.h"

namespace halyard::vulkan {
namespace {

void NoteExtension(std::string_view name, VulkanTraits* out) {
  out->host_memory_import |= name == VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  out->calibrated_timestamps |= name == VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
  out->memory_fd |= name == VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  out->dma_buf |= name == VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME;
  out->semaphore_fd |= name == VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
  out->robustness2 |= name == VK_EXT_ROBUSTNESS_2_EXTENSION_NAME;
  out->memory_budget |= name == VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
  out->portability |= name == "VK_KHR_portability_subset";
}

Status ReadExtensions(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  uint32_t count = 0;
  HAL_TRY(HAL_VK(vk, EnumerateDeviceExtensionProperties, device, nullptr, &count, nullptr));
  HostVector<VkExtensionProperties> list(count);
  HAL_TRY(HAL_VK(vk, EnumerateDeviceExtensionProperties, device, nullptr, &count, list.data()));
  for (const VkExtensionProperties& one : list) NoteExtension(one.extensionName, out);
  return kOk;
}

VkExternalMemoryProperties AskForMemory(const InstanceFunctions& vk, VkPhysicalDevice device,
                                        VkExternalMemoryHandleTypeFlagBits type) {
  VkPhysicalDeviceExternalBufferInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  info.usage = kBufferUsage;
  info.handleType = type;
  VkExternalBufferProperties properties{};
  properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  vk.GetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
  return properties.externalMemoryProperties;
}

void ReadExternalMemory(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  const struct {
    bool known;
    VkExternalMemoryHandleTypeFlagBits type;
  } kinds[] = {
      {out->memory_fd, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT},
      {out->memory_fd && out->dma_buf, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT},
  };
  for (const auto& kind : kinds) {
    if (!kind.known) continue;
    const VkExternalMemoryProperties found = AskForMemory(vk, device, kind.type);
    const VkExternalMemoryFeatureFlags features = found.externalMemoryFeatures;
    const bool together = (out->exported_memory & ~found.compatibleHandleTypes) == 0;
    if ((features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0 && together) out->exported_memory |= kind.type;
    if ((features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0) out->imported_memory |= kind.type;
    out->dedicated_memory |= (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
  }
}

void ReadExternalTimelines(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  if (!out->semaphore_fd) return;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkPhysicalDeviceExternalSemaphoreInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
  info.pNext = &type;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalSemaphoreProperties found{};
  found.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
  vk.GetPhysicalDeviceExternalSemaphoreProperties(device, &info, &found);
  const VkExternalSemaphoreFeatureFlags features = found.externalSemaphoreFeatures;
  out->exported_timelines = (features & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
  out->imported_timelines = (features & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) != 0;
}

void ReadProperties(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT import{};
  import.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceVulkan13Properties v13{};
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  v13.pNext = out->host_memory_import ? &import : nullptr;
  VkPhysicalDeviceVulkan12Properties v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  v12.pNext = &v13;
  VkPhysicalDeviceVulkan11Properties v11{};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  v11.pNext = &v12;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &v11;
  vk.GetPhysicalDeviceProperties2(device, &properties);
  out->uuid = FormatUuid(v11.deviceUUID);
  out->driver = HostString(v12.driverName) + " " + v12.driverInfo;
  out->driver_id = v12.driverID;
  out->pins_writable_pages_only = v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  out->vendor_id = properties.properties.vendorID;
  out->device_id = properties.properties.deviceID;
  out->driver_version = properties.properties.driverVersion;
  std::copy(std::begin(properties.properties.pipelineCacheUUID), std::end(properties.properties.pipelineCacheUUID),
            out->cache_uuid.begin());
  out->limits = properties.properties.limits;
  out->subgroup_size = v11.subgroupSize;
  out->min_subgroup_size = v13.minSubgroupSize;
  out->max_subgroup_size = v13.maxSubgroupSize;
  out->max_workgroup_subgroups = v13.maxComputeWorkgroupSubgroups;
  out->subgroup_choice = (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if ((v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
    out->subgroup_features = v11.subgroupSupportedOperations;
  }
  out->robust_updates = v12.robustBufferAccessUpdateAfterBind != VK_FALSE;
  out->max_buffer_size = v13.maxBufferSize;
  out->import_alignment = import.minImportedHostPointerAlignment;
  vk.GetPhysicalDeviceMemoryProperties(device, &out->memory);
  out->unified_memory = out->is_cpu() || out->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

HostVector<VkQueueFamilyProperties> ListFamilies(const InstanceFunctions& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  HostVector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

// A family of its own for compute is preferred: nothing of the desktop runs there.
Status ChooseFamily(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  const HostVector<VkQueueFamilyProperties> families = ListFamilies(vk, device);
  for (const VkQueueFlags avoided : {VkQueueFlags{VK_QUEUE_GRAPHICS_BIT}, VkQueueFlags{0}}) {
    for (uint32_t i = 0; i < families.size(); ++i) {
      if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || (families[i].queueFlags & avoided) != 0) continue;
      out->family = i;
      out->queue_count = families[i].queueCount;
      out->timestamp_bits = families[i].timestampValidBits;
      return kOk;
    }
  }
  return FailWith(HAL_STATUS_UNAVAILABLE, "it has no queue for compute");
}

Status TakeFamily(const InstanceFunctions& vk, VkPhysicalDevice device, const EnabledTraits& enabled,
                  VulkanTraits* out) {
  const HostVector<VkQueueFamilyProperties> families = ListFamilies(vk, device);
  if (enabled.family >= families.size()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "queue_family is %u; the physical device has %zu families", enabled.family,
                families.size());
  }
  const VkQueueFamilyProperties& family = families[enabled.family];
  if ((family.queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the queue family %u has no VK_QUEUE_COMPUTE_BIT", enabled.family);
  }
  if (enabled.queues == 0 || (family.queueCount < 64 && enabled.queues >> family.queueCount != 0)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "queues is 0x%" PRIx64 "; the family %u has %u queues, a bit for each",
                enabled.queues, enabled.family, family.queueCount);
  }
  out->family = enabled.family;
  out->queue_count = static_cast<uint32_t>(std::popcount(enabled.queues));
  out->timestamp_bits = family.timestampValidBits;
  return kOk;
}

void ReadFeatures(const VulkanFeatures& features, VulkanTraits* out) {
  out->update_after_bind = features.v12.descriptorBindingStorageBufferUpdateAfterBind != VK_FALSE;
  out->updates_uniforms = features.v12.descriptorBindingUniformBufferUpdateAfterBind != VK_FALSE;
  out->null_descriptors = out->robustness2 && features.robustness2.nullDescriptor != VK_FALSE;
  out->robust_access = features.core.features.robustBufferAccess != VK_FALSE;
  out->subgroup_choice = out->subgroup_choice && features.v13.subgroupSizeControl != VK_FALSE;
  out->full_subgroups = features.v13.computeFullSubgroups != VK_FALSE;
  if (!out->subgroup_choice) out->min_subgroup_size = out->max_subgroup_size = out->subgroup_size;
  out->capabilities = ListCapabilities(features, out->subgroup_features);
}

Status ReadVersion(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  VkPhysicalDeviceProperties properties{};
  vk.GetPhysicalDeviceProperties(device, &properties);
  out->name = properties.deviceName;
  out->api_version = properties.apiVersion;
  out->type = properties.deviceType;
  if (properties.apiVersion >= VK_API_VERSION_1_3) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "Vulkan %u.%u; 1.3 is needed", VK_API_VERSION_MAJOR(properties.apiVersion),
              VK_API_VERSION_MINOR(properties.apiVersion));
}

// What extensions are there is known.
void ReadHardware(const InstanceFunctions& vk, VkPhysicalDevice device, VulkanTraits* out) {
  ReadProperties(vk, device, out);
  ReadExternalMemory(vk, device, out);
  ReadExternalTimelines(vk, device, out);
}

}  // namespace

HostString FormatUuid(std::span<const uint8_t, VK_UUID_SIZE> bytes) {
  HostString text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

VulkanFeatures::VulkanFeatures(bool has_robustness2) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  core.pNext = &v11;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v11.pNext = &v12;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  v12.pNext = &v13;
  v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  v13.pNext = has_robustness2 ? &robustness2 : nullptr;
  robustness2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
}

void VulkanFeatures::Read(const VulkanInstance& instance, VkPhysicalDevice device) {
  instance.vk().GetPhysicalDeviceFeatures2(device, &core);
}

const char* VulkanFeatures::FindMissing() const {
  const struct {
    VkBool32 value;
    const char* name;
  } needed[] = {
      {v12.timelineSemaphore, "timelineSemaphore"}, {v12.bufferDeviceAddress, "bufferDeviceAddress"},
      {v12.hostQueryReset, "hostQueryReset"},       {v13.synchronization2, "synchronization2"},
      {v13.maintenance4, "maintenance4"},
  };
  for (const auto& feature : needed) {
    if (!feature.value) return feature.name;
  }
  return nullptr;
}

// Kernels may use what the device has: the widths of numbers and what goes with them. What is left out costs time
// (robustness), or concerns pictures.
void VulkanFeatures::Select(bool robust) {
  VkPhysicalDeviceFeatures chosen{};
  chosen.robustBufferAccess = robust ? VK_TRUE : VK_FALSE;
  chosen.shaderFloat64 = core.features.shaderFloat64;
  chosen.shaderInt64 = core.features.shaderInt64;
  chosen.shaderInt16 = core.features.shaderInt16;
  core.features = chosen;
  v11.multiview = v11.multiviewGeometryShader = v11.multiviewTessellationShader = VK_FALSE;
  v11.protectedMemory = v11.samplerYcbcrConversion = v11.shaderDrawParameters = VK_FALSE;
  v12.bufferDeviceAddressCaptureReplay = v12.bufferDeviceAddressMultiDevice = VK_FALSE;
  v12.samplerMirrorClampToEdge = v12.samplerFilterMinmax = v12.drawIndirectCount = v12.imagelessFramebuffer = VK_FALSE;
  v13.robustImageAccess = v13.privateData = v13.dynamicRendering = v13.inlineUniformBlock = VK_FALSE;
  v13.textureCompressionASTC_HDR = VK_FALSE;
  v13.descriptorBindingInlineUniformBlockUpdateAfterBind = VK_FALSE;
  robustness2.robustBufferAccess2 = robustness2.robustImageAccess2 = VK_FALSE;
}

Status ReadTraits(const VulkanInstance& instance, VkPhysicalDevice device, VulkanTraits* out_traits) {
  const InstanceFunctions& vk = instance.vk();
  HAL_TRY(ReadVersion(vk, device, out_traits));
  HAL_TRY(ReadExtensions(vk, device, out_traits));
  ReadHardware(vk, device, out_traits);
  HAL_TRY(ChooseFamily(vk, device, out_traits));
  VulkanFeatures features(out_traits->robustness2);
  features.Read(instance, device);
  if (const char* const missing = features.FindMissing()) {
    return Fail(HAL_STATUS_UNAVAILABLE, "it lacks the feature %s", missing);
  }
  ReadFeatures(features, out_traits);
  return kOk;
}

Status ReadTraits(const VulkanInstance& instance, VkPhysicalDevice device, const EnabledTraits& enabled,
                  VulkanTraits* out_traits) {
  const InstanceFunctions& vk = instance.vk();
  if (const Failure reason(ReadVersion(vk, device, out_traits)); reason) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the physical device is of %s", reason.message().data());
  }
  if (const char* const missing = enabled.features->FindMissing()) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the device was opened without the feature %s, which the driver needs",
                missing);
  }
  for (const char* const name : enabled.extensions) NoteExtension(name, out_traits);
  ReadHardware(vk, device, out_traits);
  HAL_TRY(TakeFamily(vk, device, enabled, out_traits));
  ReadFeatures(*enabled.features, out_traits);
  return kOk;
}

int RankOf(const VulkanTraits& traits) {
  switch (traits.type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 4;
    default:
      return 3;
  }
}

}  // namespace halyard::vulkan
