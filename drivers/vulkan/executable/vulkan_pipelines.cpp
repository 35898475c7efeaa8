// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/executable/vulkan_pipelines.h"

#include <algorithm>
#include <utility>

namespace halyard::vulkan {
namespace {

// What docs/executables.md says of kernels that ask for their size, or for dynamic local memory.
constexpr uint32_t kSizeConstant = 0;  // and the two behind it
constexpr uint32_t kLocalMemoryConstant = 3;
constexpr uint32_t kLeastLocalMemory = 16;  // bytes

/// Specialisation constants in Vulkan's form.
class Specialization {
 public:
  void Set(uint32_t id, uint32_t size, uint64_t value) {
    const auto same = [id](const VkSpecializationMapEntry& entry) { return entry.constantID == id; };
    const auto found = std::find_if(entries_.begin(), entries_.end(), same);
    if (found != entries_.end()) {
      values_[static_cast<size_t>(found - entries_.begin())] = value;
      return;
    }
    entries_.push_back({id, static_cast<uint32_t>(values_.size() * sizeof(uint64_t)), size});
    values_.push_back(value);
  }

  VkSpecializationInfo info() const {
    return {static_cast<uint32_t>(entries_.size()), entries_.data(), values_.size() * sizeof(uint64_t), values_.data()};
  }

 private:
  HostVector<VkSpecializationMapEntry> entries_;
  HostVector<uint64_t> values_;  // little-endian, so that the low bytes come first
};

}  // namespace

Status KernelPipelines::Find(const PipelineVariant& variant, VkPipeline* out_pipeline) {
  const std::lock_guard lock(mutex_);
  for (const Made& made : made_) {
    if (made.variant != variant) continue;
    *out_pipeline = made.pipeline.get();
    return kOk;
  }
  if (made_.size() == kMost) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
                "kernel '%s' has pipelines for %zu sizes of workgroups and of dynamic local memory, which is the most",
                entry_point_.c_str(), kMost);
  }
  Made made;
  made.variant = variant;
  HAL_TRY(Make(variant, &made.pipeline));
  *out_pipeline = made.pipeline.get();
  made_.push_back(std::move(made));
  return kOk;
}

Status KernelPipelines::MakeModule(const PipelineVariant& variant, OwnedShaderModule* out_module) const {
  HostVector<uint32_t> words = source_.words;
  if (size_at_ != 0) {
    words[size_at_] = variant.workgroup_size.x;
    words[size_at_ + 1] = variant.workgroup_size.y;
    words[size_at_ + 2] = variant.workgroup_size.z;
  }
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * sizeof(uint32_t);
  info.pCode = words.data();
  return HAL_VK(context_.vk(), CreateShaderModule, context_.device(), &info, nullptr, out_module->out(context_));
}

Status KernelPipelines::Make(const PipelineVariant& variant, OwnedPipeline* out_pipeline) const {
  OwnedShaderModule module;
  HAL_TRY(MakeModule(variant, &module));
  Specialization constants;
  for (const hal_specialization_t& given : source_.specializations) constants.Set(given.id, given.size, given.value);
  constants.Set(kSizeConstant, 4, variant.workgroup_size.x);
  constants.Set(kSizeConstant + 1, 4, variant.workgroup_size.y);
  constants.Set(kSizeConstant + 2, 4, variant.workgroup_size.z);
  constants.Set(kLocalMemoryConstant, 4, std::max(variant.dynamic_local_memory, kLeastLocalMemory));
  const VkSpecializationInfo specialization = constants.info();
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = entry_point_.c_str();
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_;
  return HAL_VK(context_.vk(), CreateComputePipelines, context_.device(), source_.cache.get(), 1, &info, nullptr,
                out_pipeline->out(context_));
}

}  // namespace halyard::vulkan
