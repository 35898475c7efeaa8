// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles of Vulkan as pairs of kind and value, so that one table can hold them all.
#ifndef HALYARD_TESTS_SIM_VULKAN_HANDLES_H_
#define HALYARD_TESTS_SIM_VULKAN_HANDLES_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// The name of a type of handles; empty for other types.
template <typename Type>
inline constexpr std::string_view kKind;

#define HALYARD_SIM_HANDLE(type) \
  template <>                    \
  inline constexpr std::string_view kKind<type> = #type;
HALYARD_SIM_HANDLE(VkInstance)
HALYARD_SIM_HANDLE(VkPhysicalDevice)
HALYARD_SIM_HANDLE(VkDevice)
HALYARD_SIM_HANDLE(VkQueue)
HALYARD_SIM_HANDLE(VkDeviceMemory)
HALYARD_SIM_HANDLE(VkBuffer)
HALYARD_SIM_HANDLE(VkBufferView)
HALYARD_SIM_HANDLE(VkFence)
HALYARD_SIM_HANDLE(VkSemaphore)
HALYARD_SIM_HANDLE(VkEvent)
HALYARD_SIM_HANDLE(VkQueryPool)
HALYARD_SIM_HANDLE(VkShaderModule)
HALYARD_SIM_HANDLE(VkPipelineCache)
HALYARD_SIM_HANDLE(VkPipelineLayout)
HALYARD_SIM_HANDLE(VkPipeline)
HALYARD_SIM_HANDLE(VkSampler)
HALYARD_SIM_HANDLE(VkDescriptorSetLayout)
HALYARD_SIM_HANDLE(VkDescriptorPool)
HALYARD_SIM_HANDLE(VkDescriptorSet)
HALYARD_SIM_HANDLE(VkDescriptorUpdateTemplate)
HALYARD_SIM_HANDLE(VkCommandPool)
HALYARD_SIM_HANDLE(VkCommandBuffer)
HALYARD_SIM_HANDLE(VkPrivateDataSlot)
HALYARD_SIM_HANDLE(VkDebugUtilsMessengerEXT)
#undef HALYARD_SIM_HANDLE

template <typename Type>
concept HandleType = !kKind<Type>.empty();

struct Handle {
  std::string_view kind;
  uint64_t value = 0;

  Handle() = default;
  template <HandleType Type>
  explicit Handle(Type handle) : kind(kKind<Type>), value(reinterpret_cast<uint64_t>(handle)) {}

  auto operator<=>(const Handle&) const = default;
};

/// "VkBuffer 0x55d0".
std::string Text(const Handle& handle);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_HANDLES_H_
