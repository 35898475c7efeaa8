// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/rules/exclusive_arguments.h"

#include "vulkan/device/device.h"
#include "vulkan/objects/descriptors.h"

namespace halyard::vulkan_sim {

void UseOfFunction(Exclusive& exclusive, VkDevice device) {
  for (const auto& [place, queue] : FindDevice(device)->queues) exclusive.Use(Handle(queue->handle));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, uint32_t count, const VkFence* fences) {
  for (uint32_t i = 0; i < count; ++i) exclusive.Use(Handle(fences[i]));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, VkBuffer buffer, VkDeviceMemory, VkDeviceSize) {
  exclusive.Use(Handle(buffer));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, VkPipelineCache target, uint32_t, const VkPipelineCache*) {
  exclusive.Use(Handle(target));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, VkDescriptorPool, uint32_t count, const VkDescriptorSet* sets) {
  for (uint32_t i = 0; i < count; ++i) exclusive.Use(Handle(sets[i]));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, VkDeviceMemory memory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                   void**) {
  exclusive.Use(Handle(memory));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, VkDeviceMemory memory) { exclusive.Use(Handle(memory)); }

void UseOfFunction(Exclusive& exclusive, VkQueue, uint32_t, const VkSubmitInfo*, VkFence fence) {
  exclusive.Use(Handle(fence));
}

void UseOfFunction(Exclusive& exclusive, VkQueue, uint32_t, const VkSubmitInfo2*, VkFence fence) {
  exclusive.Use(Handle(fence));
}

void UseOfFunction(Exclusive& exclusive, VkDevice, uint32_t write_count, const VkWriteDescriptorSet* writes, uint32_t,
                   const VkCopyDescriptorSet*) {
  for (uint32_t i = 0; i < write_count; ++i) {
    if (!IsUpdatedAfterBind(writes[i].dstSet)) exclusive.Use(Handle(writes[i].dstSet));
  }
}

}  // namespace halyard::vulkan_sim
