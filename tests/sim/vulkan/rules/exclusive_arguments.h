// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameters Vulkan wants synchronised by the application, in functions that are not SHARED.
#ifndef HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_ARGUMENTS_H_
#define HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_ARGUMENTS_H_

#include <type_traits>

#include "vulkan/objects/objects.h"
#include "vulkan/rules/exclusive.h"

namespace halyard::vulkan_sim {

/// Parameters of these types are, wherever they are.
template <typename Type>
void UseArgument([[maybe_unused]] Exclusive& exclusive, [[maybe_unused]] Type argument) {
  if constexpr (std::is_same_v<Type, VkQueue> || std::is_same_v<Type, VkCommandPool> ||
                std::is_same_v<Type, VkDescriptorPool>) {
    exclusive.Use(Handle(argument));
  } else if constexpr (std::is_same_v<Type, VkCommandBuffer>) {
    exclusive.Use(Handle(argument));
    exclusive.Use(Objects::The().ParentOf(Handle(argument)));
  } else if constexpr (std::is_same_v<Type, const VkCommandBufferAllocateInfo*>) {
    exclusive.Use(Handle(argument->commandPool));
  } else if constexpr (std::is_same_v<Type, const VkDescriptorSetAllocateInfo*>) {
    exclusive.Use(Handle(argument->descriptorPool));
  }
}

/// And these of single functions, which are recognised by all their parameters.
template <typename... Arguments>
void UseOfFunction(Exclusive&, Arguments...) {}
/// vkDeviceWaitIdle: all queues.
void UseOfFunction(Exclusive& exclusive, VkDevice device);
/// vkResetFences
void UseOfFunction(Exclusive& exclusive, VkDevice device, uint32_t count, const VkFence* fences);
/// vkBindBufferMemory
void UseOfFunction(Exclusive& exclusive, VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset);
/// vkMergePipelineCaches: the target.
void UseOfFunction(Exclusive& exclusive, VkDevice device, VkPipelineCache target, uint32_t count,
                   const VkPipelineCache* sources);
/// vkFreeDescriptorSets: the sets too.
void UseOfFunction(Exclusive& exclusive, VkDevice device, VkDescriptorPool pool, uint32_t count,
                   const VkDescriptorSet* sets);
/// vkMapMemory, vkUnmapMemory
void UseOfFunction(Exclusive& exclusive, VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                   VkMemoryMapFlags flags, void** data);
void UseOfFunction(Exclusive& exclusive, VkDevice device, VkDeviceMemory memory);
/// vkQueueSubmit, vkQueueSubmit2
void UseOfFunction(Exclusive& exclusive, VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence);
void UseOfFunction(Exclusive& exclusive, VkQueue queue, uint32_t count, const VkSubmitInfo2* infos, VkFence fence);
/// vkUpdateDescriptorSets: sets that cannot be updated while they are bound.
void UseOfFunction(Exclusive& exclusive, VkDevice device, uint32_t write_count, const VkWriteDescriptorSet* writes,
                   uint32_t copy_count, const VkCopyDescriptorSet* copies);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_ARGUMENTS_H_
