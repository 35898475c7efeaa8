// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_builtins.h"

#include <algorithm>
#include <array>

#include "vulkan/recording/builtin/vulkan_builtin_kernels.h"

namespace halyard::vulkan {
namespace {

constexpr size_t kParams = 5;       // words, of the kernel that takes the most
constexpr uint64_t kCountSize = 4;  // bytes

// The kernel that copies: see builtin/copy.comp.
constexpr uint64_t kGroup = 16;                      // bytes that a work-item moves at once
constexpr uint64_t kGroupsPerRow = 256;              // that a workgroup moves at once
constexpr uint64_t kManyGroups = uint64_t{1} << 18;  // from here on a workgroup moves several rows
constexpr uint64_t kManyRows = 4;
// A descriptor holds as many, with what alignment puts ahead and behind them. 32 bits count them.
constexpr uint64_t kSlack = 512;  // bytes

/// How a copy is divided: what lies ahead of the first whole group of the target, the groups, and the rest.
struct CopyParts {
  uint64_t head = 0;  // bytes
  uint64_t groups = 0;
  uint64_t tail = 0;  // bytes
};

// The kernel reads whole groups of the source too, one more than it writes if the groups of both lie differently. It
// reads none beyond the range: what is there may not be the buffer's.
CopyParts Divide(uint64_t source_offset, uint64_t target_offset, uint64_t length) {
  CopyParts parts;
  parts.head = std::min((kGroup - target_offset % kGroup) % kGroup, length);
  const uint64_t begin = source_offset + parts.head;
  const uint64_t aligned = begin / kGroup * kGroup;
  uint64_t readable = (source_offset + length - aligned) / kGroup;
  if (aligned != begin) readable -= std::min<uint64_t>(readable, 1);
  parts.groups = std::min(readable, (length - parts.head) / kGroup);
  parts.tail = length - parts.head - parts.groups * kGroup;
  return parts;
}

}  // namespace

Status VulkanBuiltins::Prepare() {
  const std::lock_guard lock(mutex_);
  if (is_ready_) return kOk;
  const DeviceFunctions& vk = context_.vk();
  std::array<VkDescriptorSetLayoutBinding, 2> slots{};
  for (uint32_t i = 0; i < slots.size(); ++i) {
    slots[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<uint32_t>(slots.size());
  set.pBindings = slots.data();
  HAL_TRY(HAL_VK(vk, CreateDescriptorSetLayout, context_.device(), &set, nullptr, set_layout_.out(context_)));
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  const VkPushConstantRange params{VK_SHADER_STAGE_COMPUTE_BIT, 0, kParams * sizeof(uint32_t)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &params;
  HAL_TRY(HAL_VK(vk, CreatePipelineLayout, context_.device(), &layout, nullptr, layout_.out(context_)));
  HAL_TRY(MakePipeline(kCountCheck, &count_check_));
  HAL_TRY(MakePipeline(kCopy, &copy_));
  is_ready_ = true;
  return kOk;
}

Status VulkanBuiltins::MakePipeline(std::span<const uint32_t> words, OwnedPipeline* out_pipeline) {
  const DeviceFunctions& vk = context_.vk();
  VkShaderModuleCreateInfo source{};
  source.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  source.codeSize = words.size_bytes();
  source.pCode = words.data();
  OwnedShaderModule module;
  HAL_TRY(HAL_VK(vk, CreateShaderModule, context_.device(), &source, nullptr, module.out(context_)));
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.layout = layout_.get();
  return HAL_VK(vk, CreateComputePipelines, context_.device(), VK_NULL_HANDLE, 1, &info, nullptr,
                out_pipeline->out(context_));
}

VkDescriptorBufferInfo VulkanBuiltins::RangeFrom(VkBuffer buffer, uint64_t offset, uint64_t length, uint64_t item,
                                                 uint32_t* out_item) const {
  const uint64_t alignment = std::max<uint64_t>(context_.traits().limits.minStorageBufferOffsetAlignment, item);
  const uint64_t begin = offset / alignment * alignment;
  *out_item = static_cast<uint32_t>((offset - begin) / item);
  return {buffer, begin, offset + length - begin};
}

Status VulkanBuiltins::Bind(VulkanRecording& recording, VkPipeline pipeline, const VkDescriptorBufferInfo& first,
                            const VkDescriptorBufferInfo& second, std::span<const uint32_t> params) {
  const DeviceFunctions& vk = context_.vk();
  VkDescriptorSet set = VK_NULL_HANDLE;
  HAL_TRY(recording.sets().Allocate(set_layout_.get(), {2, 0}, &set));
  const std::array<VkDescriptorBufferInfo, 2> ranges = {first, second};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = 2;  // goes on with the next number
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = ranges.data();
  vk.UpdateDescriptorSets(context_.device(), 1, &write, 0, nullptr);
  const VkCommandBuffer commands = recording.commands();
  recording.bound() = {};
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set, 0, nullptr);
  vk.CmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      static_cast<uint32_t>(params.size_bytes()), params.data());
  return kOk;
}

Status VulkanBuiltins::RecordCountCheck(VulkanRecording& recording, const NativeBytes& counts,
                                        const StagedBytes& checked, const hal_dim3_t& most) {
  HAL_TRY(Prepare());
  std::array<uint32_t, kParams> params = {0, 0, most.x, most.y, most.z};
  const VkDescriptorBufferInfo from = RangeFrom(counts.buffer, counts.offset, 12, kCountSize, &params[0]);
  const VkDescriptorBufferInfo to = RangeFrom(checked.buffer, checked.offset, 16, kCountSize, &params[1]);
  HAL_TRY(Bind(recording, count_check_.get(), from, to, params));
  context_.vk().CmdDispatch(recording.commands(), 1, 1, 1);
  return kOk;
}

bool VulkanBuiltins::CopiesAll(uint64_t source_offset, uint64_t target_offset, uint64_t length) {
  const CopyParts parts = Divide(source_offset, target_offset, length);
  return parts.head == 0 && parts.tail == 0;
}

// `target` is made of whole groups.
Status VulkanBuiltins::CopyGroups(VulkanRecording& recording, const NativeBytes& target, VkBuffer source,
                                  uint64_t source_offset) {
  const auto shift = static_cast<uint32_t>(source_offset % kGroup);
  const uint64_t count = target.length / kGroup;
  const uint64_t rows = count < kManyGroups ? 1 : kManyRows;
  const uint64_t per_workgroup = rows * kGroupsPerRow;
  std::array<uint32_t, kParams> params = {0, 0, static_cast<uint32_t>(count), shift,
                                          static_cast<uint32_t>(per_workgroup)};
  const uint64_t read = target.length + (shift == 0 ? 0 : kGroup);
  const VkDescriptorBufferInfo from = RangeFrom(source, source_offset - shift, read, kGroup, &params[0]);
  const VkDescriptorBufferInfo to = RangeFrom(target.buffer, target.offset, target.length, kGroup, &params[1]);
  HAL_TRY(Bind(recording, copy_.get(), from, to, params));
  context_.vk().CmdDispatch(recording.commands(), static_cast<uint32_t>((count + per_workgroup - 1) / per_workgroup), 1,
                            1);
  return kOk;
}

Status VulkanBuiltins::RecordCopy(VulkanRecording& recording, const NativeBytes& target, VkBuffer source,
                                  uint64_t source_offset) {
  HAL_TRY(Prepare());
  const VkPhysicalDeviceLimits& limits = context_.traits().limits;
  const CopyParts parts = Divide(source_offset, target.offset, target.length);
  const uint64_t most = std::min((uint64_t{limits.maxStorageBufferRange} - kSlack) / kGroup,
                                 uint64_t{limits.maxComputeWorkGroupCount[0]} * kGroupsPerRow);
  uint64_t done = parts.head;
  for (uint64_t left = parts.groups; left > 0;) {
    const uint64_t count = std::min(left, most);
    HAL_TRY(CopyGroups(recording, {target.buffer, target.offset + done, count * kGroup}, source, source_offset + done));
    done += count * kGroup;
    left -= count;
  }
  const NativeBytes head{target.buffer, target.offset, parts.head};
  const NativeBytes tail{target.buffer, target.offset + done, parts.tail};
  if (head.length > 0) HAL_TRY(vulkan::RecordCopy(recording, head, source, source_offset));
  return tail.length > 0 ? vulkan::RecordCopy(recording, tail, source, source_offset + done) : kOk;
}

}  // namespace halyard::vulkan
