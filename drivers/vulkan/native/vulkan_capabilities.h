// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which capabilities of SPIR-V a device has, by its features.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_CAPABILITIES_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_CAPABILITIES_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

class VulkanFeatures;

/// The numbers of those that kernels may declare on the device, sorted.
HostVector<uint32_t> ListCapabilities(const VulkanFeatures& features, VkSubgroupFeatureFlags subgroup);
/// INCOMPATIBLE, with the capability and the feature that the device lacks. `known` is as ListCapabilities() gives it.
Status CheckCapabilities(std::span<const uint32_t> known, std::span<const uint32_t> needed);
/// INCOMPATIBLE, with the extension of SPIR-V that is not part of Vulkan 1.3.
Status CheckExtensions(std::span<const HostString> needed);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_CAPABILITIES_H_
