// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/limits.h"

#include <algorithm>
#include <array>
#include <variant>

#include "vulkan/device/physical_device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/real.h"

namespace halyard::vulkan_sim {
namespace {

struct Limit {
  std::string_view name;
  std::variant<uint32_t VkPhysicalDeviceLimits::*, VkDeviceSize VkPhysicalDeviceLimits::*> member;
};

const auto kLimits = std::to_array<Limit>({
#define LIMIT(member) {#member, &VkPhysicalDeviceLimits::member}
    LIMIT(minStorageBufferOffsetAlignment),
    LIMIT(minUniformBufferOffsetAlignment),
    LIMIT(nonCoherentAtomSize),
    LIMIT(maxPushConstantsSize),
    LIMIT(maxBoundDescriptorSets),
    LIMIT(maxPerStageDescriptorStorageBuffers),
    LIMIT(maxPerStageResources),
    LIMIT(maxDescriptorSetStorageBuffers),
    LIMIT(maxPerStageDescriptorUniformBuffers),
    LIMIT(maxDescriptorSetUniformBuffers),
    LIMIT(maxStorageBufferRange),
    LIMIT(maxUniformBufferRange),
    LIMIT(maxMemoryAllocationCount),
    LIMIT(maxComputeSharedMemorySize),
    LIMIT(maxComputeWorkGroupInvocations),
#undef LIMIT
});

void Narrow(const Settings& settings, VkPhysicalDeviceLimits& limits) {
  for (const Limit& limit : kLimits) {
    const auto wanted = settings.limits.find(limit.name);
    if (wanted == settings.limits.end()) continue;
    std::visit(
        [&](auto member) { limits.*member = static_cast<std::decay_t<decltype(limits.*member)>>(wanted->second); },
        limit.member);
  }
  if (settings.no_timestamps) limits.timestampComputeAndGraphics = VK_FALSE;
}

// Copies of a device differ in their UUIDs.
void RenameCopy(const PhysicalDevice& device, VkPhysicalDeviceProperties2* properties) {
  if (!device.is_copy) return;
  constexpr size_t kLast = VK_UUID_SIZE - 1;
  for (auto* at = static_cast<VkBaseOutStructure*>(properties->pNext); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
      reinterpret_cast<VkPhysicalDeviceIDProperties*>(at)->deviceUUID[kLast] ^= static_cast<uint8_t>(device.index);
    } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
      reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(at)->deviceUUID[kLast] ^=
          static_cast<uint8_t>(device.index);
    }
  }
}

void NarrowFamily(const Settings& settings, VkQueueFamilyProperties& family) {
  if (settings.queues != 0) family.queueCount = settings.queues;
  if (settings.no_timestamps) family.timestampValidBits = 0;
}

void NarrowMemory(const Settings& settings, VkPhysicalDeviceMemoryProperties& memory) {
  for (VkMemoryHeap& heap : memory.memoryHeaps) {
    if (settings.memory != 0) heap.size = std::min(heap.size, settings.memory);
  }
  if (!settings.Hides("HOST_COHERENT")) return;
  for (VkMemoryType& type : memory.memoryTypes) {
    type.propertyFlags &= ~static_cast<VkMemoryPropertyFlags>(VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  }
}

// The real device has one size. Pipelines that ask for others run in it all the same (objects/descriptors.cpp).
void WidenSubgroups(const Settings& settings, VkPhysicalDeviceProperties2* properties) {
  if (settings.most_subgroup == 0) return;
  for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) continue;
    auto* const v13 = reinterpret_cast<VkPhysicalDeviceVulkan13Properties*>(next);
    v13->minSubgroupSize = settings.least_subgroup;
    v13->maxSubgroupSize = settings.most_subgroup;
    v13->maxComputeWorkgroupSubgroups = 8;
    v13->requiredSubgroupSizeStages |= VK_SHADER_STAGE_COMPUTE_BIT;
  }
}

// What a device says that has VK_EXT_memory_budget: lavapipe has not.
void TellBudget(const PhysicalDevice& device, VkPhysicalDeviceMemoryProperties2* memory) {
  if (device.settings->budget == 0) return;
  for (auto* at = static_cast<VkBaseOutStructure*>(memory->pNext); at != nullptr; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
    auto& told = reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT&>(*at);
    for (uint32_t heap = 0; heap < memory->memoryProperties.memoryHeapCount; ++heap) {
      told.heapBudget[heap] = device.settings->budget;
      told.heapUsage[heap] = UsedMemory(heap);
    }
  }
}

}  // namespace

bool IsLimit(std::string_view name) {
  return std::ranges::any_of(kLimits, [&](const Limit& limit) { return limit.name == name; });
}

VkPhysicalDeviceLimits NarrowLimits(VkPhysicalDevice real, const Settings& settings) {
  VkPhysicalDeviceProperties properties;
  real::GetPhysicalDeviceProperties(real, &properties);
  Narrow(settings, properties.limits);
  return properties.limits;
}

namespace own {

void GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties* properties) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceProperties(device->real, properties);
  properties->limits = device->limits;
  if (device->settings->discrete) properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2* properties) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceProperties2(device->real, properties);
  properties->properties.limits = device->limits;
  if (device->settings->discrete) properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  RenameCopy(*device, properties);
  WidenSubgroups(*device->settings, properties);
}

void GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice handle, uint32_t* count,
                                            VkQueueFamilyProperties* families) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceQueueFamilyProperties(device->real, count, families);
  for (uint32_t i = 0; families != nullptr && i < *count; ++i) NarrowFamily(*device->settings, families[i]);
}

void GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice handle, uint32_t* count,
                                             VkQueueFamilyProperties2* families) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceQueueFamilyProperties2(device->real, count, families);
  for (uint32_t i = 0; families != nullptr && i < *count; ++i) {
    NarrowFamily(*device->settings, families[i].queueFamilyProperties);
  }
}

void GetPhysicalDeviceMemoryProperties(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties* memory) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceMemoryProperties(device->real, memory);
  NarrowMemory(*device->settings, *memory);
}

void GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2* memory) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceMemoryProperties2(device->real, memory);
  NarrowMemory(*device->settings, memory->memoryProperties);
  TellBudget(*device, memory);
}

}  // namespace own
}  // namespace halyard::vulkan_sim
