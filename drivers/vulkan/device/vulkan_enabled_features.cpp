// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_enabled_features.h"

namespace halyard::vulkan {
namespace {

// Copies one struct of a version, except the beginning that all structs of a chain have.
template <class Version>
void Take(const VkBaseInStructure& given, Version* out) {
  void* const next = out->pNext;
  *out = reinterpret_cast<const Version&>(given);
  out->pNext = next;
}

#define HAL_VK_TAKE_FEATURE(version, feature) out->version.feature |= given.feature

void Take(const VkPhysicalDevice16BitStorageFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v11, storageBuffer16BitAccess);
  HAL_VK_TAKE_FEATURE(v11, uniformAndStorageBuffer16BitAccess);
  HAL_VK_TAKE_FEATURE(v11, storagePushConstant16);
}
void Take(const VkPhysicalDeviceVariablePointersFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v11, variablePointersStorageBuffer);
  HAL_VK_TAKE_FEATURE(v11, variablePointers);
}
void Take(const VkPhysicalDevice8BitStorageFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, storageBuffer8BitAccess);
  HAL_VK_TAKE_FEATURE(v12, uniformAndStorageBuffer8BitAccess);
  HAL_VK_TAKE_FEATURE(v12, storagePushConstant8);
}
void Take(const VkPhysicalDeviceShaderFloat16Int8Features& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, shaderFloat16);
  HAL_VK_TAKE_FEATURE(v12, shaderInt8);
}
void Take(const VkPhysicalDeviceShaderAtomicInt64Features& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, shaderBufferInt64Atomics);
}
void Take(const VkPhysicalDeviceVulkanMemoryModelFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, vulkanMemoryModel);
  HAL_VK_TAKE_FEATURE(v12, vulkanMemoryModelDeviceScope);
}
void Take(const VkPhysicalDeviceDescriptorIndexingFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, descriptorBindingStorageBufferUpdateAfterBind);
  HAL_VK_TAKE_FEATURE(v12, descriptorBindingUniformBufferUpdateAfterBind);
}
void Take(const VkPhysicalDeviceTimelineSemaphoreFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, timelineSemaphore);
}
void Take(const VkPhysicalDeviceBufferDeviceAddressFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, bufferDeviceAddress);
}
void Take(const VkPhysicalDeviceHostQueryResetFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v12, hostQueryReset);
}
void Take(const VkPhysicalDeviceSynchronization2Features& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v13, synchronization2);
}
void Take(const VkPhysicalDeviceMaintenance4Features& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v13, maintenance4);
}
void Take(const VkPhysicalDeviceShaderIntegerDotProductFeatures& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(v13, shaderIntegerDotProduct);
}
void Take(const VkPhysicalDeviceRobustness2FeaturesEXT& given, VulkanFeatures* out) {
  HAL_VK_TAKE_FEATURE(robustness2, nullDescriptor);
}
#undef HAL_VK_TAKE_FEATURE

void TakeStruct(const VkBaseInStructure& given, VulkanFeatures* out) {
  switch (given.sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
      return Take(given, &out->v11);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
      return Take(given, &out->v12);
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
      return Take(given, &out->v13);
#define HAL_VK_TAKE_STRUCT(type, name)                      \
  case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES: \
    return Take(reinterpret_cast<const VkPhysicalDevice##name##Features&>(given), out);
      HAL_VK_TAKE_STRUCT(16BIT_STORAGE, 16BitStorage)
      HAL_VK_TAKE_STRUCT(VARIABLE_POINTERS, VariablePointers)
      HAL_VK_TAKE_STRUCT(8BIT_STORAGE, 8BitStorage)
      HAL_VK_TAKE_STRUCT(SHADER_FLOAT16_INT8, ShaderFloat16Int8)
      HAL_VK_TAKE_STRUCT(SHADER_ATOMIC_INT64, ShaderAtomicInt64)
      HAL_VK_TAKE_STRUCT(VULKAN_MEMORY_MODEL, VulkanMemoryModel)
      HAL_VK_TAKE_STRUCT(DESCRIPTOR_INDEXING, DescriptorIndexing)
      HAL_VK_TAKE_STRUCT(TIMELINE_SEMAPHORE, TimelineSemaphore)
      HAL_VK_TAKE_STRUCT(BUFFER_DEVICE_ADDRESS, BufferDeviceAddress)
      HAL_VK_TAKE_STRUCT(HOST_QUERY_RESET, HostQueryReset)
      HAL_VK_TAKE_STRUCT(SYNCHRONIZATION_2, Synchronization2)
      HAL_VK_TAKE_STRUCT(MAINTENANCE_4, Maintenance4)
      HAL_VK_TAKE_STRUCT(SHADER_INTEGER_DOT_PRODUCT, ShaderIntegerDotProduct)
#undef HAL_VK_TAKE_STRUCT
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT:
      return Take(reinterpret_cast<const VkPhysicalDeviceRobustness2FeaturesEXT&>(given), out);
    default:
      return;
  }
}

}  // namespace

void ReadEnabledFeatures(const VkPhysicalDeviceFeatures2& given, VulkanFeatures* out) {
  out->core.features = given.features;
  for (auto* next = static_cast<const VkBaseInStructure*>(given.pNext); next; next = next->pNext) {
    TakeStruct(*next, out);
  }
}

}  // namespace halyard::vulkan
