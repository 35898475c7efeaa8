// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor sets and pipelines: what they need, and the limits that they have to keep.
#include "vulkan/objects/descriptors.h"

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"
#include "vulkan/rules/everlasting.h"
#include "vulkan/rules/in_use.h"
#include "vulkan/rules/needs.h"

namespace halyard::vulkan_sim {
namespace {

// Layouts whose sets may be updated while they are bound, and by several threads; and those sets.
struct UpdateAfterBind {
  std::mutex mutex;  // protects what follows
  std::set<VkDescriptorSetLayout> layouts;
  std::set<VkDescriptorSet> sets;
};

UpdateAfterBind& TheUpdatable() { return Everlasting<UpdateAfterBind>(); }

}  // namespace

bool IsUpdatedAfterBind(VkDescriptorSet set) {
  const std::lock_guard lock(TheUpdatable().mutex);
  return TheUpdatable().sets.contains(set);
}

namespace own {
namespace {

bool HasUpdateAfterBind(const VkDescriptorSetLayoutCreateInfo& info) {
  return (info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0;
}

void CheckLimit(const char* call, const char* limit, uint64_t value, uint64_t most) {
  if (value <= most) return;
  Report("limit", std::string(call) + ": " + std::to_string(value) + " where " + limit + " is " + std::to_string(most));
}

bool IsStorage(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

bool IsUniform(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

// What a device takes of one type of buffers.
struct BufferLimits {
  const char* alignment_name;
  uint64_t alignment;
  const char* range_name;
  uint64_t range;
};

BufferLimits LimitsOf(const VkPhysicalDeviceLimits& limits, VkDescriptorType type) {
  if (IsUniform(type)) {
    return {"minUniformBufferOffsetAlignment", limits.minUniformBufferOffsetAlignment, "maxUniformBufferRange",
            limits.maxUniformBufferRange};
  }
  return {"minStorageBufferOffsetAlignment", limits.minStorageBufferOffsetAlignment, "maxStorageBufferRange",
          limits.maxStorageBufferRange};
}

void CheckNullDescriptor(const PhysicalDevice& device, const VkDescriptorBufferInfo& info) {
  const bool is_offered =
      !device.settings->Hides("nullDescriptor") && !device.settings->HidesExtension(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
  if (!is_offered) Report("descriptor", "vkUpdateDescriptorSets: VK_NULL_HANDLE without the feature nullDescriptor");
  if (info.offset == 0 && info.range == VK_WHOLE_SIZE) return;
  Report("descriptor", "vkUpdateDescriptorSets: VK_NULL_HANDLE takes the offset 0 and VK_WHOLE_SIZE");
}

void CheckBufferDescriptor(const BufferLimits& limits, const VkDescriptorBufferInfo& info) {
  if (info.offset % limits.alignment != 0) {
    Report("limit", "vkUpdateDescriptorSets: the offset " + std::to_string(info.offset) + " where " +
                        limits.alignment_name + " is " + std::to_string(limits.alignment));
  }
  if (info.range == 0) Report("descriptor", "vkUpdateDescriptorSets: a range of 0 bytes");
  if (info.range == VK_WHOLE_SIZE) return;
  CheckLimit("vkUpdateDescriptorSets", limits.range_name, info.range, limits.range);
}

// Notes the buffers of a write, and checks their ranges.
void NoteWrite(const PhysicalDevice& device, const VkWriteDescriptorSet& write) {
  const bool is_buffer = IsStorage(write.descriptorType) || IsUniform(write.descriptorType);
  if (write.pBufferInfo == nullptr || !is_buffer) return;
  const BufferLimits limits = LimitsOf(device.limits, write.descriptorType);
  for (uint32_t i = 0; i < write.descriptorCount; ++i) {
    const VkDescriptorBufferInfo& info = write.pBufferInfo[i];
    const uint64_t place = (uint64_t{write.dstBinding} << 32) + write.dstArrayElement + i;
    if (info.buffer == VK_NULL_HANDLE) {
      CheckNullDescriptor(device, info);
    } else {
      CheckBufferDescriptor(limits, info);
    }
    Needs::The().Set(Handle(write.dstSet), place, Handle(info.buffer));
  }
}

void ForgetSet(VkDescriptorSet set) {
  Needs::The().Forget(Handle(set));
  const std::lock_guard lock(TheUpdatable().mutex);
  TheUpdatable().sets.erase(set);
}

}  // namespace

VkResult CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* layout) {
  uint64_t storage = 0;
  for (uint32_t i = 0; i < info->bindingCount; ++i) {
    if (IsStorage(info->pBindings[i].descriptorType)) storage += info->pBindings[i].descriptorCount;
  }
  const bool is_updatable = HasUpdateAfterBind(*info);
  if (!is_updatable) {
    CheckLimit(real::CreateDescriptorSetLayout.name, "maxPerStageDescriptorStorageBuffers", storage,
               FindDevice(device)->physical->limits.maxPerStageDescriptorStorageBuffers);
  }
  VkDescriptorSetLayoutCreateInfo real_info = *info;
  if (FindDevice(device)->physical->pretends_update_after_bind) {
    real_info.flags = 0;
    real_info.pNext = nullptr;
  }
  const VkResult result = real::CreateDescriptorSetLayout(device, &real_info, allocator, layout);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(TheUpdatable().mutex);
  TheUpdatable().layouts.erase(*layout);
  if (is_updatable) TheUpdatable().layouts.insert(*layout);
  return result;
}

void DestroyDescriptorPool(VkDevice device, VkDescriptorPool pool, const VkAllocationCallbacks* allocator) {
  Objects::The().RemoveChildren(Handle(pool));
  real::DestroyDescriptorPool(device, pool, allocator);
}

VkResult ResetDescriptorPool(VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags) {
  ReportIfInUse(real::ResetDescriptorPool.name, device, Handle(pool));
  Objects::The().RemoveChildren(Handle(pool));
  return real::ResetDescriptorPool(device, pool, flags);
}

VkResult AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* sets) {
  if (!MayUse(real::AllocateDescriptorSets.name, Handle(info->descriptorPool))) return VK_ERROR_UNKNOWN;
  const VkResult result = real::AllocateDescriptorSets(device, info, sets);
  for (uint32_t i = 0; result == VK_SUCCESS && i < info->descriptorSetCount; ++i) {
    ForgetSet(sets[i]);
    Objects::The().Add(Handle(sets[i]), Handle(info->descriptorPool));
    Needs::The().Set(Handle(sets[i]), ~uint64_t{0}, Handle(info->descriptorPool));
    const std::lock_guard lock(TheUpdatable().mutex);
    if (TheUpdatable().layouts.contains(info->pSetLayouts[i])) TheUpdatable().sets.insert(sets[i]);
  }
  return result;
}

VkResult FreeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t count, const VkDescriptorSet* sets) {
  const char* const call = real::FreeDescriptorSets.name;
  for (uint32_t i = 0; i < count; ++i) {
    if (!MayUse(call, Handle(sets[i]))) return VK_ERROR_UNKNOWN;
    ReportIfInUse(call, device, Handle(sets[i]));
    Objects::The().Remove(Handle(sets[i]));
    ForgetSet(sets[i]);
  }
  return real::FreeDescriptorSets(device, pool, count, sets);
}

void UpdateDescriptorSets(VkDevice device, uint32_t write_count, const VkWriteDescriptorSet* writes,
                          uint32_t copy_count, const VkCopyDescriptorSet* copies) {
  const char* const call = real::UpdateDescriptorSets.name;
  const std::shared_ptr<const PhysicalDevice> physical = FindDevice(device)->physical;
  for (uint32_t i = 0; i < write_count; ++i) {
    const Handle set(writes[i].dstSet);
    if (!MayUse(call, set)) return;
    if (!IsUpdatedAfterBind(writes[i].dstSet)) ReportIfInUse(call, device, set);
    NoteWrite(*physical, writes[i]);
  }
  real::UpdateDescriptorSets(device, write_count, writes, copy_count, copies);
}

VkResult CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkPipelineLayout* layout) {
  const VkPhysicalDeviceLimits limits = FindDevice(device)->physical->limits;
  for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
    CheckLimit(real::CreatePipelineLayout.name, "maxPushConstantsSize",
               uint64_t{info->pPushConstantRanges[i].offset} + info->pPushConstantRanges[i].size,
               limits.maxPushConstantsSize);
  }
  return real::CreatePipelineLayout(device, info, allocator, layout);
}

namespace {

const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo* FindSubgroups(const VkPipelineShaderStageCreateInfo& stage) {
  for (auto* next = static_cast<const VkBaseInStructure*>(stage.pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO) continue;
    return reinterpret_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(next);
  }
  return nullptr;
}

// What pipelines ask for is checked and noted, and they run in the one size that the real device has.
std::vector<VkComputePipelineCreateInfo> InRealSubgroups(const PhysicalDevice& physical,
                                                         std::vector<VkComputePipelineCreateInfo> infos) {
  const uint32_t least = physical.settings->least_subgroup, most = physical.settings->most_subgroup;
  for (VkComputePipelineCreateInfo& info : infos) {
    const auto* const subgroups = FindSubgroups(info.stage);
    const uint32_t size = subgroups ? subgroups->requiredSubgroupSize : 0;
    NoteSubgroupSize(size);
    if (size == 0 || most == 0) continue;
    if (size < least || size > most || (size & (size - 1)) != 0) {
      Report("limit", "vkCreateComputePipelines: requiredSubgroupSize is " + std::to_string(size) +
                          "; the device has " + std::to_string(least) + " to " + std::to_string(most));
    }
    info.stage.pNext = subgroups->pNext;
    info.stage.flags &= ~static_cast<VkFlags>(VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
  }
  return infos;
}

}  // namespace

VkResult CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                const VkComputePipelineCreateInfo* infos, const VkAllocationCallbacks* allocator,
                                VkPipeline* pipelines) {
  const std::vector<VkComputePipelineCreateInfo> asked(infos, infos + count);
  const std::vector<VkComputePipelineCreateInfo> real = InRealSubgroups(*FindDevice(device)->physical, asked);
  const VkResult result = real::CreateComputePipelines(device, cache, count, real.data(), allocator, pipelines);
  // Some may have been made also where others failed; those are null.
  for (uint32_t i = 0; i < count; ++i) {
    if (pipelines[i] != VK_NULL_HANDLE) Objects::The().Add(Handle(pipelines[i]), Handle(device));
  }
  return result;
}

}  // namespace own
}  // namespace halyard::vulkan_sim
