// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <string>
#include <utility>

#include "support/input_file.h"
#include "support/kernels/kernel_files.h"
#include "vulkan_calls.h"

namespace halyard::tools {
namespace {

// The very image that Halyard finds in bench_kernels.halx.
VkShaderModule LoadModule(const VulkanDevice& vk) {
  const std::string image = ReadTextFile(KernelFile("bench_kernels.spv"), kLargestImage);
  std::vector<uint32_t> words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), words.size() * sizeof(uint32_t));
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * sizeof(uint32_t);
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  MustVulkan(vk.CreateShaderModule(vk.handle(), &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

}  // namespace

VulkanKernel::VulkanKernel(const VulkanDevice& vk, const RecordedWork& work) : vk_(vk), work_(work) {
  if (work.has_buffer) MakeSet();
  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = work.has_buffer ? 1 : 0;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = work.steps ? 1 : 0;
  layout.pPushConstantRanges = &constants;
  MustVulkan(vk.CreatePipelineLayout(vk.handle(), &layout, nullptr, &layout_), "vkCreatePipelineLayout");
  const VkShaderModule module = LoadModule(vk);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = work.kernel;
  info.layout = layout_;
  const VkResult result = vk.CreateComputePipelines(vk.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vk.DestroyShaderModule(vk.handle(), module, nullptr);
  MustVulkan(result, "vkCreateComputePipelines");
}

VulkanKernel::~VulkanKernel() {
  const VkDevice device = vk_.handle();
  vk_.DestroyPipeline(device, pipeline_, nullptr);
  vk_.DestroyPipelineLayout(device, layout_, nullptr);
  vk_.DestroyDescriptorPool(device, pool_, nullptr);
  vk_.DestroyDescriptorSetLayout(device, set_layout_, nullptr);
  for (VkBuffer buffer : buffers_) vk_.DestroyBuffer(device, buffer, nullptr);
  for (VkDeviceMemory memory : memory_) vk_.FreeMemory(device, memory, nullptr);
}

void VulkanKernel::MakeSet() {
  const VkDevice device = vk_.handle();
  const bool is_updatable = vk_.updates_after_bind();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i] = vk_.MakeBuffer(kBufferLength);
    memory_[i] = vk_.MakeMemory(buffers_[i]);
    MustVulkan(vk_.BindBufferMemory(device, buffers_[i], memory_[i], 0), "vkBindBufferMemory");
  }
  const VkDescriptorSetLayoutBinding slot{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                          nullptr};
  const VkDescriptorBindingFlags flag = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
  VkDescriptorSetLayoutBindingFlagsCreateInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
  flags.bindingCount = 1;
  flags.pBindingFlags = &flag;
  VkDescriptorSetLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  layout.pNext = is_updatable ? &flags : nullptr;
  layout.flags = is_updatable ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0;
  layout.bindingCount = 1;
  layout.pBindings = &slot;
  MustVulkan(vk_.CreateDescriptorSetLayout(device, &layout, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.flags = is_updatable ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0;
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  MustVulkan(vk_.CreateDescriptorPool(device, &pool, nullptr, &pool_), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &set_layout_;
  MustVulkan(vk_.AllocateDescriptorSets(device, &info, &set_), "vkAllocateDescriptorSets");
  SwapBuffers();
}

void VulkanKernel::SwapBuffers() {
  std::swap(buffers_[0], buffers_[1]);
  std::swap(memory_[0], memory_[1]);
  const VkDescriptorBufferInfo range{buffers_[0], 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &range;
  vk_.UpdateDescriptorSets(vk_.handle(), 1, &write, 0, nullptr);
}

void VulkanKernel::Bind(VkCommandBuffer commands) const {
  vk_.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  if (work_.has_buffer) {
    vk_.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
  }
  if (work_.steps) {
    vk_.CmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t), &*work_.steps);
  }
}

}  // namespace halyard::tools
