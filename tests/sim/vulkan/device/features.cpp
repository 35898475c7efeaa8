// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/features.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "vulkan/device/physical_device.h"
#include "vulkan/real.h"

namespace halyard::vulkan_sim {
namespace {

struct Feature {
  const char* name;
  VkStructureType structure;
  size_t offset;  // of the member in that structure
};

constexpr auto kFeatures = std::to_array<Feature>({
#define CORE(member)                                             \
  Feature{#member, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, \
          offsetof(VkPhysicalDeviceFeatures2, features) + offsetof(VkPhysicalDeviceFeatures, member)},
#define CHAINED(type, structure, member)                                \
  Feature{#member, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES, \
          offsetof(VkPhysicalDevice##structure##Features, member)},
#define EXTENSION(type, structure, member)                                  \
  Feature{#member, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES_EXT, \
          offsetof(VkPhysicalDevice##structure##FeaturesEXT, member)},
#include "vulkan/device/features.inc"
#undef CORE
#undef CHAINED
#undef EXTENSION
});

// Calls `take(name, address)` for each member of a chain that is a hidden feature.
template <typename Take>
void ForEachHidden(const Settings& settings, const void* chain, Take take) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext) {
    for (const Feature& feature : kFeatures) {
      if (feature.structure != at->sType || !settings.Hides(feature.name)) continue;
      take(feature.name, reinterpret_cast<const std::byte*>(at) + feature.offset);
    }
  }
}

void Hide(const Settings& settings, VkPhysicalDeviceFeatures2* chain) {
  ForEachHidden(settings, chain, [](const char*, const std::byte* member) {
    std::memset(const_cast<std::byte*>(member), 0, sizeof(VkBool32));
  });
}

VkPhysicalDeviceVulkan12Features* FindFeatures12(const void* chain) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) continue;
    return reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(const_cast<VkBaseInStructure*>(at));
  }
  return nullptr;
}

void Offer(const PhysicalDevice& device, VkPhysicalDeviceFeatures2* chain) {
  VkPhysicalDeviceVulkan12Features* const features = FindFeatures12(chain);
  if (features != nullptr && device.pretends_update_after_bind) {
    features->descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE;
    features->descriptorBindingUniformBufferUpdateAfterBind = VK_TRUE;
  }
}

}  // namespace

bool CanUpdateAfterBind(VkPhysicalDevice real_device) {
  VkPhysicalDeviceVulkan12Features features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 chain = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features, {}};
  real::GetPhysicalDeviceFeatures2(real_device, &chain);
  return features.descriptorBindingStorageBufferUpdateAfterBind != VK_FALSE;
}

WithoutOffered::WithoutOffered(const PhysicalDevice& device, const VkDeviceCreateInfo& info) {
  if (!device.pretends_update_after_bind) return;
  asked_ = FindFeatures12(info.pNext);
  if (asked_ == nullptr) return;
  storage_ = std::exchange(asked_->descriptorBindingStorageBufferUpdateAfterBind, VK_FALSE);
  uniform_ = std::exchange(asked_->descriptorBindingUniformBufferUpdateAfterBind, VK_FALSE);
}

WithoutOffered::~WithoutOffered() {
  if (asked_ == nullptr) return;
  asked_->descriptorBindingStorageBufferUpdateAfterBind = storage_;
  asked_->descriptorBindingUniformBufferUpdateAfterBind = uniform_;
}

bool IsFeature(std::string_view name) {
  return std::ranges::any_of(kFeatures, [&](const Feature& feature) { return feature.name == name; });
}

const char* HiddenFeature(const Settings& settings, const VkDeviceCreateInfo& info) {
  const char* hidden = nullptr;
  const auto note = [&](const char* name, const std::byte* member) {
    VkBool32 enabled = VK_FALSE;
    std::memcpy(&enabled, member, sizeof enabled);
    if (enabled != VK_FALSE) hidden = name;
  };
  ForEachHidden(settings, info.pNext, note);
  if (info.pEnabledFeatures != nullptr) {
    const VkPhysicalDeviceFeatures2 core = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr,
                                            *info.pEnabledFeatures};
    ForEachHidden(settings, &core, note);
  }
  return hidden;
}

namespace own {

void GetPhysicalDeviceFeatures2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2* features) {
  const auto device = FindPhysicalDevice(handle);
  real::GetPhysicalDeviceFeatures2(device->real, features);
  Offer(*device, features);
  Hide(*device->settings, features);
}

void GetPhysicalDeviceFeatures(VkPhysicalDevice handle, VkPhysicalDeviceFeatures* features) {
  VkPhysicalDeviceFeatures2 chained = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, nullptr, {}};
  GetPhysicalDeviceFeatures2(handle, &chained);
  *features = chained.features;
}

}  // namespace own
}  // namespace halyard::vulkan_sim
