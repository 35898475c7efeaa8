// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of a Vulkan device.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_

#include <memory>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/executable/export_table.h"
#include "halyard/driver_api.h"
#include "vulkan/executable/vulkan_pipelines.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

class KernelSource;

/// The most bindings of a dispatch.
inline constexpr uint32_t kMaxBindings = 128;
/// The most bytes of constants that any device takes.
inline constexpr uint32_t kMaxConstantsSize = 256;

/// A binding of the flat list, as the kernel declares it.
struct KernelBinding {
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  uint64_t size = 0;  ///< bytes, without an array whose length the binding decides

  bool is_uniform() const { return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER; }
};

/// A descriptor of a kernel.
struct KernelMember {
  uint32_t number = 0;   ///< in its set
  uint32_t binding = 0;  ///< of the dispatch's flat list
  VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
};

/// How many descriptors of each type there are.
struct DescriptorCounts {
  uint32_t storage = 0;
  uint32_t uniform = 0;
};

/// A descriptor set of a kernel.
struct KernelSet {
  uint32_t number = 0;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  HostVector<KernelMember> members;
  DescriptorCounts counts;  ///< of the members
};

/// The address of a binding, which takes the place of 8 bytes of the constants.
struct KernelAddress {
  uint32_t offset = 0;
  uint32_t binding = 0;  ///< of the dispatch's flat list
};

/// How a kernel is called.
struct VulkanKernel {
  HostVector<OwnedSetLayout> set_layouts;  ///< of all sets up to the last, empty ones too
  HostVector<KernelSet> sets;              ///< those with members
  HostVector<KernelBinding> bindings;      ///< [binding of the flat list]
  bool has_uniforms = false;               ///< one of them is a uniform buffer
  bool updates_sets = false;  ///< its sets may be written again while command buffers that bind them are kept
  HostVector<KernelAddress> addresses;
  OwnedPipelineLayout layout;
  uint32_t constants_size = 0;  ///< bytes, a multiple of four
  std::unique_ptr<KernelPipelines> pipelines;
};

class VulkanExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Checks the module and makes a pipeline of every export.
  static Status Create(DeviceBase& owner, const VulkanContext& context, const hal_executable_params_t& params,
                       hal_executable_t** out_executable);

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }
  /// As hal_executable_vtable_t::query_export_properties.
  Status QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties);
  const VulkanKernel& Kernel(uint32_t ordinal) const { return kernels_[ordinal]; }
  /// The pipeline for a dispatch, which is made if it is the first of its kind. Thread-safe.
  Status FindPipeline(uint32_t ordinal, const hal_dim3_t& workgroup_size, uint32_t dynamic_local_memory,
                      VkPipeline* out_pipeline);
  /// What can be told of a dispatch before it runs: INVALID_ARGUMENT if the kernel cannot have workgroups of that size,
  /// or as CheckUniform() of a binding that is no slot.
  Status CheckBeforehand(uint32_t ordinal, const hal_dispatch_params_t& params) const {
    HAL_TRY(kernels_[ordinal].pipelines->CheckSize(params.workgroup_size));
    return kernels_[ordinal].has_uniforms ? CheckUniforms(ordinal, params.bindings) : kOk;
  }
  /// Whether a uniform buffer may lie in a range of a VkBuffer: OUT_OF_RANGE if it is too short, INVALID_ARGUMENT if it
  /// begins at another multiple than the device asks for.
  Status CheckUniform(uint32_t ordinal, size_t binding, uint64_t offset, uint64_t length) const;
  /// Whether the kernel may write to a binding of the flat list.
  bool Writes(uint32_t ordinal, size_t binding) const { return exports_.Writes(ordinal, binding); }

 private:
  VulkanExecutable(const DeviceBase& owner, const VulkanContext& context);
  Status LoadImage(const hal_executable_params_t& params, std::span<const std::byte> image);
  Status MakeKernel(uint32_t ordinal, KernelSource* source, VkPipelineCache cache, VulkanKernel* out_kernel);
  Status ChooseSubgroups(const hal_export_info_t& info, uint32_t* out_size) const;
  Status CheckKernel(uint32_t ordinal, const SpirvKernel& kernel) const;
  Status TakeBindings(uint32_t ordinal, const SpirvKernel& given, VulkanKernel* kernel) const;
  Status CheckUniforms(uint32_t ordinal, const hal_buffer_ref_list_t& bindings) const;
  Status MakeLayout(uint32_t ordinal, VulkanKernel* kernel);

  const VulkanContext& context_;
  ExportTable exports_;
  KernelConstants constants_;
  HostVector<VulkanKernel> kernels_;  // [export]
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_
