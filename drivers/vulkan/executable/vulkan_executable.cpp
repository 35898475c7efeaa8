// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/executable/vulkan_executable.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <utility>

#include "driver_kit/executable/image_of.h"
#include "function/subgroup_sizes.h"
#include "vulkan/executable/vulkan_pipeline_cache.h"
#include "vulkan/memory/vulkan_buffer.h"
#include "vulkan/native/vulkan_capabilities.h"

namespace halyard::vulkan {
namespace {

HostString Prefix(uint32_t ordinal, std::string_view name) {
  char text[32];
  std::snprintf(text, sizeof(text), "export %u (\"", ordinal);
  return text + HostString(name) + "\"): ";
}

Status ToWords(std::span<const std::byte> image, HostVector<uint32_t>* out) {
  if (image.empty() || image.size() % sizeof(uint32_t) != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "the image has %zu bytes; SPIR-V is made of words of four", image.size());
  }
  out->resize(image.size() / sizeof(uint32_t));
  std::memcpy(out->data(), image.data(), image.size());
  return kOk;
}

}  // namespace

/// Vulkan's drivers compile all that they are given, so each kernel has a module of its own.
class KernelSource {
 public:
  /// @param image           what `words` tell, with these specialisations; all must outlive the source
  Status Open(std::span<const uint32_t> words, const SpirvImage& image,
              std::span<const hal_specialization_t> specializations) {
    size_ = words.size();
    specializations_ = specializations;
    for (const SpirvKernel& kernel : image.kernels) kernels_[kernel.name] = &kernel;
    return divider_.Open(words);
  }

  Status Take(std::string_view name, KernelModule* out) {
    HAL_TRY(divider_.Take(name, &out->words));
    if (out->words->size() == size_) {
      out->kernel = *kernels_.find(name)->second;
      return kOk;
    }
    if (!divider_.can_divide()) return TakeOfWhole(*out->words, name, out);
    SpirvImage image;
    HAL_TRY(ReadSpirv(std::as_bytes(std::span(*out->words)), &image, specializations_));
    out->kernel = std::move(image.kernels.front());
    return kOk;
  }

 private:
  // A module that is given whole may lack words of the image: its kernels are at other places.
  Status TakeOfWhole(std::span<const uint32_t> words, std::string_view name, KernelModule* out) {
    if (whole_.kernels.empty()) HAL_TRY(ReadSpirv(std::as_bytes(words), &whole_, specializations_));
    const auto found = std::find_if(whole_.kernels.begin(), whole_.kernels.end(),
                                    [&](const SpirvKernel& kernel) { return std::string_view(kernel.name) == name; });
    if (found == whole_.kernels.end()) {
      return Fail(HAL_STATUS_NOT_FOUND, "the module has no kernel '%.*s'", HALYARD_SV(name));
    }
    out->kernel = *found;
    return kOk;
  }

  size_t size_ = 0;
  std::span<const hal_specialization_t> specializations_;
  HostMap<std::string_view, const SpirvKernel*> kernels_;
  SpirvDivider divider_;
  SpirvImage whole_;  // of a module that cannot be divided
};

VulkanExecutable::VulkanExecutable(const DeviceBase& owner, const VulkanContext& context)
    : hal_executable_t{}, context_(context) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE, owner.tables().executable);
}

Status VulkanExecutable::Create(DeviceBase& owner, const VulkanContext& context, const hal_executable_params_t& params,
                                hal_executable_t** out_executable) {
  if (params.export_count == 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "an image of format 'spirv' does not tell what it exports: give the list in params->exports");
  }
  std::unique_ptr<VulkanExecutable> executable(new VulkanExecutable(owner, context));
  HAL_TRY(CheckPlainExports({params.exports, params.export_count}, /*takes_addresses=*/true));
  HAL_TRY(executable->exports_.Assign(&owner, {params.exports, params.export_count}));
  executable->export_count = executable->exports_.Count();
  HAL_TRY(WithImage(params, [&](std::span<const std::byte> image) { return executable->LoadImage(params, image); }));
  *out_executable = executable.release();
  return kOk;
}

Status VulkanExecutable::LoadImage(const hal_executable_params_t& params, std::span<const std::byte> image) {
  SpirvImage facts;
  HostVector<uint32_t> words;
  constants_.given.assign(params.specializations, params.specializations + params.specialization_count);
  HAL_TRY(ReadSpirv(image, &facts, constants_.given));
  HAL_TRY(CheckCapabilities(context_.traits().capabilities, facts.capabilities));
  HAL_TRY(CheckExtensions(facts.extensions));
  HAL_TRY(ToWords(image, &words));
  constants_.has_sizes = facts.is_of_halyard;
  StoredPipelineCache cache(context_, params.blobs);
  cache.Open(words, params);
  KernelSource source;
  HAL_TRY(source.Open(words, facts, constants_.given));
  kernels_.resize(exports_.Count());
  for (uint32_t i = 0; i < exports_.Count(); ++i) {
    const Failure failure(MakeKernel(i, &source, cache.get(), &kernels_[i]));
    if (failure) return Annotate(failure, Prefix(i, View(exports_.Info(i)->name)));
  }
  cache.Store();
  return kOk;
}

Status VulkanExecutable::MakeKernel(uint32_t ordinal, KernelSource* source, VkPipelineCache cache,
                                    VulkanKernel* out_kernel) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  if (info.signature) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "a function of another calling convention runs on the host only");
  }
  KernelModule module;
  HAL_TRY(source->Take(exports_.Symbol(ordinal), &module));
  HAL_TRY(CheckKernel(ordinal, module.kernel));
  HAL_TRY(ChooseSubgroups(info, &module.subgroup_size));
  HAL_TRY(TakeBindings(ordinal, module.kernel, out_kernel));
  HAL_TRY(MakeLayout(ordinal, out_kernel));
  out_kernel->pipelines =
      std::make_unique<KernelPipelines>(context_, constants_, std::move(module), out_kernel->layout.get());
  if (info.workgroup_size.x == 0) return kOk;
  VkPipeline pipeline = VK_NULL_HANDLE;
  return out_kernel->pipelines->Find({info.workgroup_size, 0}, cache, &pipeline);
}

// Without a choice the device has its own size alone, which nothing has to ask for.
Status VulkanExecutable::ChooseSubgroups(const hal_export_info_t& info, uint32_t* out_size) const {
  const VulkanTraits& traits = context_.traits();
  HAL_TRY(
      ChooseSubgroupSize(info, {traits.min_subgroup_size, traits.max_subgroup_size}, traits.subgroup_size, out_size));
  if (!traits.subgroup_choice) *out_size = 0;
  return kOk;
}

// What the kernel reaches must be bound: Vulkan would not say that it is not.
Status VulkanExecutable::CheckKernel(uint32_t ordinal, const SpirvKernel& kernel) const {
  if (!kernel.obstacle.empty()) return FailWith(HAL_STATUS_INCOMPATIBLE, kernel.obstacle);
  const hal_export_info_t& info = *exports_.Info(ordinal);
  if (kernel.constants_size > (info.constants_size + 3) / 4 * 4) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel has %u bytes of push constants, the export %u of constants",
                kernel.constants_size, info.constants_size);
  }
  HostVector<std::pair<uint32_t, uint32_t>> bound;
  for (const hal_parameter_t& parameter : std::span(info.parameters, info.parameter_count)) {
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) bound.emplace_back(parameter.set, parameter.binding);
  }
  std::sort(bound.begin(), bound.end());
  for (const SpirvBinding& binding : kernel.bindings) {
    if (std::binary_search(bound.begin(), bound.end(), std::pair(binding.set, binding.binding))) continue;
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel has a buffer at set %u, binding %u, and the export none",
                binding.set, binding.binding);
  }
  return kOk;
}

// Of what the kernel does not declare the device sees nothing.
Status VulkanExecutable::TakeBindings(uint32_t ordinal, const SpirvKernel& given, VulkanKernel* kernel) const {
  const VkPhysicalDeviceLimits& limits = context_.traits().limits;
  const hal_export_info_t& info = *exports_.Info(ordinal);
  const std::span<const uint32_t> flat = exports_.ParameterBindings(ordinal);
  kernel->bindings.resize(info.binding_count);
  uint32_t uniforms = 0;
  for (const SpirvBinding& declared : given.bindings) {
    if (declared.is_uniform && declared.size > limits.maxUniformBufferRange) {
      return Fail(HAL_STATUS_INCOMPATIBLE,
                  "the uniform buffer at set %u, binding %u has %" PRIu64
                  " bytes; the device takes at most %u (maxUniformBufferRange)",
                  declared.set, declared.binding, declared.size, limits.maxUniformBufferRange);
    }
    uniforms += declared.is_uniform ? 1 : 0;
    for (uint32_t p = 0; p < info.parameter_count; ++p) {
      const hal_parameter_t& parameter = info.parameters[p];
      if (flat[p] == ExportTable::kNoBinding || parameter.set != declared.set || parameter.binding != declared.binding)
        continue;
      const auto type = declared.is_uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      kernel->bindings[flat[p]] = {type, declared.size};
    }
  }
  const uint32_t most = std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers);
  if (uniforms > most) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the kernel has %u uniform buffers; the device takes at most %u (maxPerStageDescriptorUniformBuffers)",
                uniforms, most);
  }
  kernel->has_uniforms = uniforms > 0;
  kernel->updates_sets = context_.updates_sets() && (uniforms == 0 || context_.traits().updates_uniforms);
  return kOk;
}

Status VulkanExecutable::CheckUniform(uint32_t ordinal, size_t binding, uint64_t offset, uint64_t length) const {
  const KernelBinding& declared = kernels_[ordinal].bindings[binding];
  const hal_string_view_t name = exports_.Info(ordinal)->name;
  if (length < declared.size) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "dispatch of '%.*s': bindings.refs[%zu] has %" PRIu64
                " bytes; the kernel's uniform buffer has %" PRIu64,
                HALYARD_SV(View(name)), binding, length, declared.size);
  }
  const uint64_t alignment = context_.traits().limits.minUniformBufferOffsetAlignment;
  if (offset % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "dispatch of '%.*s': bindings.refs[%zu] is a uniform buffer and begins at byte %" PRIu64
              " of its allocation; the device asks for a multiple of %" PRIu64 " (minUniformBufferOffsetAlignment)",
              HALYARD_SV(View(name)), binding, offset, alignment);
}

// Memory that is yet to come begins where the alignment allows anything; a slot is looked at with its table.
Status VulkanExecutable::CheckUniforms(uint32_t ordinal, const hal_buffer_ref_list_t& bindings) const {
  for (size_t i = 0; i < bindings.count; ++i) {
    const hal_buffer_ref_t& ref = bindings.refs[i];
    if (!ref.buffer || !kernels_[ordinal].bindings[i].is_uniform()) continue;
    const VulkanBlock* const block = static_cast<const VulkanBuffer*>(ref.buffer)->block();
    HAL_TRY(CheckUniform(ordinal, i, ref.offset + (block ? block->offset : 0), ref.length));
  }
  return kOk;
}

Status VulkanExecutable::MakeLayout(uint32_t ordinal, VulkanKernel* kernel) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  const std::span<const uint32_t> bindings = exports_.ParameterBindings(ordinal);
  uint32_t set_count = 0;
  for (uint32_t p = 0; p < info.parameter_count; ++p) {
    const bool is_binding = info.parameters[p].kind == HAL_PARAMETER_KIND_BINDING;
    if (is_binding) set_count = std::max(set_count, info.parameters[p].set + 1);
    if (info.parameters[p].kind != HAL_PARAMETER_KIND_BINDING_ADDRESS) continue;
    kernel->addresses.push_back({info.parameters[p].offset, bindings[p]});
  }
  HostVector<VkDescriptorSetLayout> handles;
  for (uint32_t number = 0; number < set_count; ++number) {
    KernelSet set;
    HostVector<VkDescriptorSetLayoutBinding> slots;
    for (uint32_t p = 0; p < info.parameter_count; ++p) {
      const hal_parameter_t& parameter = info.parameters[p];
      if (parameter.kind != HAL_PARAMETER_KIND_BINDING || parameter.set != number) continue;
      const KernelBinding& declared = kernel->bindings[bindings[p]];
      set.members.push_back({parameter.binding, bindings[p], declared.type});
      ++(declared.is_uniform() ? set.counts.uniform : set.counts.storage);
      slots.push_back({parameter.binding, declared.type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    layout.bindingCount = static_cast<uint32_t>(slots.size());
    layout.pBindings = slots.data();
    const HostVector<VkDescriptorBindingFlags> flags(slots.size(), VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
    VkDescriptorSetLayoutBindingFlagsCreateInfo updatable{};
    updatable.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
    updatable.bindingCount = layout.bindingCount;
    updatable.pBindingFlags = flags.data();
    if (kernel->updates_sets) {
      layout.pNext = &updatable;
      layout.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
    }
    OwnedSetLayout& made = kernel->set_layouts.emplace_back();
    HAL_TRY(HAL_VK(context_.vk(), CreateDescriptorSetLayout, context_.device(), &layout, nullptr, made.out(context_)));
    handles.push_back(made.get());
    set.number = number;
    set.layout = made.get();
    if (!set.members.empty()) kernel->sets.push_back(std::move(set));
  }
  kernel->constants_size = (info.constants_size + 3) / 4 * 4;
  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->constants_size};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = set_count;
  layout.pSetLayouts = handles.data();
  layout.pushConstantRangeCount = kernel->constants_size > 0 ? 1 : 0;
  layout.pPushConstantRanges = &constants;
  return HAL_VK(context_.vk(), CreatePipelineLayout, context_.device(), &layout, nullptr, kernel->layout.out(context_));
}

Status VulkanExecutable::FindPipeline(uint32_t ordinal, const hal_dim3_t& workgroup_size, uint32_t dynamic_local_memory,
                                      VkPipeline* out_pipeline) {
  const hal_export_info_t& info = *exports_.Info(ordinal);
  const uint64_t local = uint64_t{info.local_memory_size} + dynamic_local_memory;
  if (local > context_.traits().limits.maxComputeSharedMemorySize) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "dispatch of '%.*s': %" PRIu64
                " bytes of workgroup memory, declared and dynamic; the device takes at most %u",
                HALYARD_SV(View(info.name)), local, context_.traits().limits.maxComputeSharedMemorySize);
  }
  return kernels_[ordinal].pipelines->Find({workgroup_size, dynamic_local_memory}, VK_NULL_HANDLE, out_pipeline);
}

// Vulkan tells of no kernel what it takes; the rest is what the core knows.
Status VulkanExecutable::QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties) {
  const uint32_t chosen = kernels_[ordinal].pipelines->subgroup_size();
  out_properties->preferred_multiple = chosen > 0 ? chosen : context_.traits().subgroup_size;
  return kOk;
}

}  // namespace halyard::vulkan
