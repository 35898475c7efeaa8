// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/executable/vulkan_pipelines.h"

#include <algorithm>
#include <utility>

namespace halyard::vulkan {
namespace {

// What docs/executables.md says of kernels that ask for their size, or for dynamic local memory.
constexpr uint32_t kSizeConstant = 0;       // and the two behind it
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

Status KernelPipelines::Find(const PipelineVariant& variant, VkPipelineCache cache, VkPipeline* out_pipeline) {
  const std::lock_guard lock(mutex_);
  for (const Made& made : made_) {
    if (made.variant != variant) continue;
    *out_pipeline = made.pipeline.get();
    return kOk;
  }
  if (made_.size() == kMost) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
                "kernel '%s' has pipelines for %zu sizes of workgroups and of dynamic local memory, which is the most",
                module_.kernel.name.c_str(), kMost);
  }
  HAL_TRY(CheckSize(variant.workgroup_size));
  Made made;
  made.variant = variant;
  HAL_TRY(Make(variant, cache, &made.pipeline));
  *out_pipeline = made.pipeline.get();
  made_.push_back(std::move(made));
  return kOk;
}

Status KernelPipelines::MakeModule(const PipelineVariant& variant, OwnedShaderModule* out_module) const {
  HostVector<uint32_t> changed;
  std::span<const uint32_t> words = *module_.words;
  if (module_.kernel.size_source == SpirvSizeSource::kLocalSize) {
    HAL_TRY(MakeSpirvVariant(words, module_.kernel, variant.workgroup_size, &changed));
    words = changed;
  }
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  return HAL_VK(context_.vk(), CreateShaderModule, context_.device(), &info, nullptr, out_module->out(context_));
}

// A side without a constant of its own stays as it is. LocalSize of 1 x 1 x 1 is that of any size, where the export
// says that dispatches choose; the core knows which do not.
Status KernelPipelines::CheckSize(const hal_dim3_t& size) const {
  const SpirvKernel& kernel = module_.kernel;
  const uint64_t most = uint64_t{module_.subgroup_size} * context_.traits().max_workgroup_subgroups;
  if (const uint64_t volume = uint64_t{size.x} * size.y * size.z; most > 0 && volume > most) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "a workgroup of (%u, %u, %u), but kernel '%s' runs in subgroups of %u work-items, of which a workgroup "
                "has at most %u",
                size.x, size.y, size.z, kernel.name.c_str(), module_.subgroup_size,
                context_.traits().max_workgroup_subgroups);
  }
  const uint32_t wanted[] = {size.x, size.y, size.z};
  const hal_dim3_t& own = kernel.workgroup_size;
  const uint32_t fixed[] = {own.x, own.y, own.z};
  const bool is_one = own.x == 1 && own.y == 1 && own.z == 1;
  if (kernel.size_source == SpirvSizeSource::kLocalSize && (is_one || constants_.has_sizes)) return kOk;
  for (size_t i = 0; i < 3; ++i) {
    if (kernel.is_open[i] || wanted[i] == fixed[i]) continue;
    return Fail(
        HAL_STATUS_INVALID_ARGUMENT,
        "a workgroup size of (%u, %u, %u), but kernel '%s' was compiled with %u in %c, and no constant changes that",
        size.x, size.y, size.z, kernel.name.c_str(), fixed[i], "xyz"[i]);
  }
  return CheckShared(size);
}

// One constant may be several sides, which are the same then.
Status KernelPipelines::CheckShared(const hal_dim3_t& size) const {
  const auto& ids = module_.kernel.size_ids;
  const uint32_t wanted[] = {size.x, size.y, size.z};
  for (size_t i = 1; i < 3; ++i) {
    for (size_t first = 0; first < i; ++first) {
      if (!ids[i] || ids[i] != ids[first] || wanted[i] == wanted[first]) continue;
      return Fail(
          HAL_STATUS_INVALID_ARGUMENT,
          "a workgroup size of (%u, %u, %u), but specialisation constant %u of kernel '%s' is its size in %c and "
          "in %c",
          size.x, size.y, size.z, *ids[i], module_.kernel.name.c_str(), "xyz"[first], "xyz"[i]);
    }
  }
  return kOk;
}

Status KernelPipelines::Make(const PipelineVariant& variant, VkPipelineCache cache, OwnedPipeline* out_pipeline) const {
  OwnedShaderModule module;
  HAL_TRY(MakeModule(variant, &module));
  Specialization constants;
  for (const hal_specialization_t& given : constants_.given) constants.Set(given.id, given.size, given.value);
  const uint32_t sides[] = {variant.workgroup_size.x, variant.workgroup_size.y, variant.workgroup_size.z};
  for (uint32_t i = 0; i < 3; ++i) {
    if (constants_.has_sizes) constants.Set(kSizeConstant + i, 4, sides[i]);
    if (module_.kernel.size_ids[i]) constants.Set(*module_.kernel.size_ids[i], 4, sides[i]);
  }
  if (module_.kernel.has_dynamic_local_memory) {
    constants.Set(kSpirvDynamicLocalMemoryId, 4, std::max(variant.dynamic_local_memory, kLeastLocalMemory));
  }
  const VkSpecializationInfo specialization = constants.info();
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = module_.subgroup_size;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = module_.kernel.name.c_str();
  info.stage.pSpecializationInfo = &specialization;
  if (module_.subgroup_size > 0) {
    info.stage.pNext = &subgroup;
    const bool is_whole = sides[0] % module_.subgroup_size == 0;
    if (is_whole && context_.traits().full_subgroups) {
      info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
  }
  info.layout = layout_;
  return HAL_VK(context_.vk(), CreateComputePipelines, context_.device(), cache, 1, &info, nullptr,
                out_pipeline->out(context_));
}

}  // namespace halyard::vulkan
