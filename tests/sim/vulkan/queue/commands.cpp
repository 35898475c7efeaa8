// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command pools and buffers: what they hold, and what recorded commands use.
#include "vulkan/objects/objects.h"
#include "vulkan/real.h"
#include "vulkan/rules/in_use.h"
#include "vulkan/rules/needs.h"

namespace halyard::vulkan_sim::own {
namespace {

// Of a command buffer whose commands are gone: the pool alone.
void NeedPoolAlone(VkCommandBuffer buffer, const Handle& pool) {
  Needs::The().Forget(Handle(buffer));
  Needs::The().Add(Handle(buffer), pool);
}

void Restart(const char* call, VkCommandBuffer buffer) {
  const Handle pool = Objects::The().ParentOf(Handle(buffer));
  const Handle device = Objects::The().ParentOf(pool);
  ReportIfInUse(call, reinterpret_cast<VkDevice>(device.value), Handle(buffer));
  NeedPoolAlone(buffer, pool);
}

}  // namespace

void DestroyCommandPool(VkDevice device, VkCommandPool pool, const VkAllocationCallbacks* allocator) {
  Objects::The().RemoveChildren(Handle(pool));
  real::DestroyCommandPool(device, pool, allocator);
}

VkResult ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
  ReportIfInUse(real::ResetCommandPool.name, device, Handle(pool));
  return real::ResetCommandPool(device, pool, flags);
}

VkResult AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* buffers) {
  if (!MayUse(real::AllocateCommandBuffers.name, Handle(info->commandPool))) return VK_ERROR_UNKNOWN;
  const VkResult result = real::AllocateCommandBuffers(device, info, buffers);
  for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; ++i) {
    Objects::The().Add(Handle(buffers[i]), Handle(info->commandPool));
    NeedPoolAlone(buffers[i], Handle(info->commandPool));
  }
  return result;
}

void FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count, const VkCommandBuffer* buffers) {
  const char* const call = real::FreeCommandBuffers.name;
  for (uint32_t i = 0; i < count; ++i) {
    if (!MayUse(call, Handle(buffers[i]))) return;
    ReportIfInUse(call, device, Handle(buffers[i]));
    Needs::The().Forget(Handle(buffers[i]));
    Objects::The().Remove(Handle(buffers[i]));
  }
  real::FreeCommandBuffers(device, pool, count, buffers);
}

VkResult BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo* info) {
  Restart(real::BeginCommandBuffer.name, buffer);
  return real::BeginCommandBuffer(buffer, info);
}

VkResult ResetCommandBuffer(VkCommandBuffer buffer, VkCommandBufferResetFlags flags) {
  Restart(real::ResetCommandBuffer.name, buffer);
  return real::ResetCommandBuffer(buffer, flags);
}

void CmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
                           uint32_t count, const VkDescriptorSet* sets, uint32_t offset_count,
                           const uint32_t* offsets) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!MayUse(real::CmdBindDescriptorSets.name, Handle(sets[i]))) return;
    Needs::The().Add(Handle(buffer), Handle(sets[i]));
  }
  real::CmdBindDescriptorSets(buffer, point, layout, first, count, sets, offset_count, offsets);
}

void CmdCopyBuffer2(VkCommandBuffer buffer, const VkCopyBufferInfo2* info) {
  for (VkBuffer used : {info->srcBuffer, info->dstBuffer}) {
    if (!MayUse(real::CmdCopyBuffer2.name, Handle(used))) return;
    Needs::The().Add(Handle(buffer), Handle(used));
  }
  real::CmdCopyBuffer2(buffer, info);
}

}  // namespace halyard::vulkan_sim::own
