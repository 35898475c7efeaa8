// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_builtins.h"

#include <array>

#include "vulkan/recording/builtin/vulkan_builtin_kernels.h"

namespace halyard::vulkan {
namespace {

constexpr size_t kParams = 5;  // words, of the kernel that takes the most

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

VkDescriptorBufferInfo VulkanBuiltins::RangeFrom(VkBuffer buffer, uint64_t offset, uint64_t length,
                                                 uint32_t* out_word) const {
  const uint64_t alignment = context_.traits().limits.minStorageBufferOffsetAlignment;
  const uint64_t begin = offset / alignment * alignment;
  *out_word = static_cast<uint32_t>((offset - begin) / sizeof(uint32_t));
  return {buffer, begin, offset + length - begin};
}

Status VulkanBuiltins::Bind(VulkanRecording& recording, VkPipeline pipeline, const VkDescriptorBufferInfo& first,
                            const VkDescriptorBufferInfo& second, std::span<const uint32_t> params) {
  const DeviceFunctions& vk = context_.vk();
  VkDescriptorSet set = VK_NULL_HANDLE;
  HAL_TRY(recording.sets().Allocate(set_layout_.get(), 2, &set));
  const std::array<VkDescriptorBufferInfo, 2> ranges = {first, second};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = 2;  // goes on with the next number
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = ranges.data();
  vk.UpdateDescriptorSets(context_.device(), 1, &write, 0, nullptr);
  const VkCommandBuffer commands = recording.commands();
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
  const VkDescriptorBufferInfo from = RangeFrom(counts.buffer, counts.offset, 12, &params[0]);
  const VkDescriptorBufferInfo to = RangeFrom(checked.buffer, checked.offset, 16, &params[1]);
  HAL_TRY(Bind(recording, count_check_.get(), from, to, params));
  context_.vk().CmdDispatch(recording.commands(), 1, 1, 1);
  return kOk;
}

}  // namespace halyard::vulkan
