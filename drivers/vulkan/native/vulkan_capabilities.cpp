// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_capabilities.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "image/reflection/spirv/spirv_reflection.h"
#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {
namespace {

using Capability = SpirvCapability;

struct Facts {
  const VkPhysicalDeviceFeatures& core;
  const VkPhysicalDeviceVulkan11Features& v11;
  const VkPhysicalDeviceVulkan12Features& v12;
  const VkPhysicalDeviceVulkan13Features& v13;
  VkSubgroupFeatureFlags subgroup;
};

struct Row {
  Capability capability;
  const char* feature;  ///< as Vulkan names it
  bool (*has)(const Facts& facts);
};

#define HAL_VK_ALWAYS(name)                                           \
  {                                                                   \
    Capability::k##name, "support", [](const Facts&) { return true; } \
  }
#define HAL_VK_FEATURE(name, group, feature)                                                          \
  {                                                                                                   \
    Capability::k##name, #feature, [](const Facts& facts) { return facts.group.feature != VK_FALSE; } \
  }
#define HAL_VK_SUBGROUP(name, bit)                                                                 \
  {                                                                                                \
    Capability::k##name, "VK_SUBGROUP_FEATURE_" #bit,                                              \
        [](const Facts& facts) { return (facts.subgroup & VK_SUBGROUP_FEATURE_##bit##_BIT) != 0; } \
  }
// What kernels for storage buffers can declare. What is missing here needs an extension that the driver does not
// enable.
constexpr Row kRows[] = {
    HAL_VK_ALWAYS(Matrix),
    HAL_VK_ALWAYS(SubgroupDispatch),
    HAL_VK_ALWAYS(Shader),
    HAL_VK_ALWAYS(DeviceGroup),
    HAL_VK_FEATURE(Float64, core, shaderFloat64),
    HAL_VK_FEATURE(Int64, core, shaderInt64),
    HAL_VK_FEATURE(Int16, core, shaderInt16),
    HAL_VK_FEATURE(Float16, v12, shaderFloat16),
    HAL_VK_FEATURE(Int8, v12, shaderInt8),
    HAL_VK_FEATURE(Int64Atomics, v12, shaderBufferInt64Atomics),
    HAL_VK_FEATURE(StorageBuffer16BitAccess, v11, storageBuffer16BitAccess),
    HAL_VK_FEATURE(UniformAndStorageBuffer16BitAccess, v11, uniformAndStorageBuffer16BitAccess),
    HAL_VK_FEATURE(StoragePushConstant16, v11, storagePushConstant16),
    HAL_VK_FEATURE(StorageBuffer8BitAccess, v12, storageBuffer8BitAccess),
    HAL_VK_FEATURE(UniformAndStorageBuffer8BitAccess, v12, uniformAndStorageBuffer8BitAccess),
    HAL_VK_FEATURE(StoragePushConstant8, v12, storagePushConstant8),
    HAL_VK_FEATURE(VariablePointersStorageBuffer, v11, variablePointersStorageBuffer),
    HAL_VK_FEATURE(VariablePointers, v11, variablePointers),
    HAL_VK_FEATURE(VulkanMemoryModel, v12, vulkanMemoryModel),
    HAL_VK_FEATURE(VulkanMemoryModelDeviceScope, v12, vulkanMemoryModelDeviceScope),
    HAL_VK_FEATURE(PhysicalStorageBufferAddresses, v12, bufferDeviceAddress),
    HAL_VK_FEATURE(DotProductInputAll, v13, shaderIntegerDotProduct),
    HAL_VK_FEATURE(DotProductInput4x8Bit, v13, shaderIntegerDotProduct),
    HAL_VK_FEATURE(DotProductInput4x8BitPacked, v13, shaderIntegerDotProduct),
    HAL_VK_FEATURE(DotProduct, v13, shaderIntegerDotProduct),
    HAL_VK_SUBGROUP(GroupNonUniform, BASIC),
    HAL_VK_SUBGROUP(GroupNonUniformVote, VOTE),
    HAL_VK_SUBGROUP(GroupNonUniformArithmetic, ARITHMETIC),
    HAL_VK_SUBGROUP(GroupNonUniformBallot, BALLOT),
    HAL_VK_SUBGROUP(GroupNonUniformShuffle, SHUFFLE),
    HAL_VK_SUBGROUP(GroupNonUniformShuffleRelative, SHUFFLE_RELATIVE),
    HAL_VK_SUBGROUP(GroupNonUniformClustered, CLUSTERED),
    HAL_VK_SUBGROUP(GroupNonUniformQuad, QUAD),
};
#undef HAL_VK_ALWAYS
#undef HAL_VK_FEATURE
#undef HAL_VK_SUBGROUP

// What Vulkan 1.3 brings along of what was an extension of SPIR-V, and what only decorates: core of SPIR-V 1.4, or
// words for tools. Others need an extension of the device that the driver does not enable.
constexpr std::string_view kExtensions[] = {
    "SPV_KHR_16bit_storage",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_device_group",
    "SPV_KHR_float_controls",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_physical_storage_buffer",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_subgroup_uniform_control_flow",
    "SPV_KHR_terminate_invocation",
    "SPV_KHR_variable_pointers",
    "SPV_KHR_vulkan_memory_model",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_EXT_descriptor_indexing",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
};

const char* FeatureOf(uint32_t capability) {
  for (const Row& row : kRows) {
    if (static_cast<uint32_t>(row.capability) == capability) return row.feature;
  }
  return nullptr;
}

}  // namespace

HostVector<uint32_t> ListCapabilities(const VulkanFeatures& features, VkSubgroupFeatureFlags subgroup) {
  const Facts facts{features.core.features, features.v11, features.v12, features.v13, subgroup};
  HostVector<uint32_t> list;
  for (const Row& row : kRows) {
    if (row.has(facts)) list.push_back(static_cast<uint32_t>(row.capability));
  }
  std::sort(list.begin(), list.end());
  return list;
}

Status CheckCapabilities(std::span<const uint32_t> known, std::span<const uint32_t> needed) {
  for (const uint32_t capability : needed) {
    if (std::binary_search(known.begin(), known.end(), capability)) continue;
    const char* const name = SpirvCapabilityName(capability);
    const HostString shown = name ? HostString(name) : HostString(std::to_string(capability));
    if (const char* const feature = FeatureOf(capability)) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "the module declares the capability %s: the device has no %s", shown.c_str(),
                  feature);
    }
    return Fail(HAL_STATUS_INCOMPATIBLE, "the module declares the capability %s, which the driver does not enable",
                shown.c_str());
  }
  return kOk;
}

Status CheckExtensions(std::span<const HostString> needed) {
  for (const HostString& extension : needed) {
    if (std::find(std::begin(kExtensions), std::end(kExtensions), extension) != std::end(kExtensions)) continue;
    return Fail(HAL_STATUS_INCOMPATIBLE, "the module declares the extension %s, which the driver does not enable",
                extension.c_str());
  }
  return kOk;
}

}  // namespace halyard::vulkan
