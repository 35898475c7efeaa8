// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers and the memory that they lie in.
#include <algorithm>

#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/real.h"
#include "vulkan/rules/needs.h"

namespace halyard::vulkan_sim::own {
namespace {

// Vulkan wants storage buffers aligned for binding. Others may have it too.
void Align(VkDevice device, VkMemoryRequirements& requirements) {
  const VkDeviceSize alignment = FindDevice(device)->physical->limits.minStorageBufferOffsetAlignment;
  requirements.alignment = std::max(requirements.alignment, alignment);
}

}  // namespace

VkResult BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  const VkResult result = real::BindBufferMemory(device, buffer, memory, offset);
  if (result == VK_SUCCESS) Needs::The().Add(Handle(buffer), Handle(memory));
  return result;
}

VkResult BindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo* infos) {
  const VkResult result = real::BindBufferMemory2(device, count, infos);
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) {
    Needs::The().Add(Handle(infos[i].buffer), Handle(infos[i].memory));
  }
  return result;
}

void GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* requirements) {
  real::GetBufferMemoryRequirements(device, buffer, requirements);
  Align(device, *requirements);
}

void GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                                  VkMemoryRequirements2* requirements) {
  real::GetBufferMemoryRequirements2(device, info, requirements);
  Align(device, requirements->memoryRequirements);
}

void GetDeviceBufferMemoryRequirements(VkDevice device, const VkDeviceBufferMemoryRequirements* info,
                                       VkMemoryRequirements2* requirements) {
  real::GetDeviceBufferMemoryRequirements(device, info, requirements);
  Align(device, requirements->memoryRequirements);
}

}  // namespace halyard::vulkan_sim::own
