// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables of a Vulkan device.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_

#include <memory>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/export_table.h"
#include "halyard/driver_api.h"
#include "vulkan/executable/vulkan_pipelines.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

class KernelSource;
class VulkanDevice;

/// The most bindings of a dispatch.
inline constexpr uint32_t kMaxBindings = 128;
/// The most bytes of constants that any device takes.
inline constexpr uint32_t kMaxConstantsSize = 256;

/// A descriptor of a kernel.
struct KernelMember {
  uint32_t number = 0;   ///< in its set
  uint32_t binding = 0;  ///< of the dispatch's flat list
};

/// A descriptor set of a kernel.
struct KernelSet {
  uint32_t number = 0;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  HostVector<KernelMember> members;
};

/// How a kernel is called.
struct VulkanKernel {
  HostVector<OwnedSetLayout> set_layouts;  ///< of all sets up to the last, empty ones too
  HostVector<KernelSet> sets;              ///< those with members
  OwnedPipelineLayout layout;
  uint32_t constants_size = 0;  ///< bytes, a multiple of four
  std::unique_ptr<KernelPipelines> pipelines;
};

class VulkanExecutable final : public hal_executable_t, public HostObject {
 public:
  /// Checks the module and makes a pipeline of every export.
  static Status Create(VulkanDevice& device, const hal_executable_params_t& params, hal_executable_t** out_executable);

  const hal_export_info_t* ExportInfo(uint32_t ordinal) const { return exports_.Info(ordinal); }
  Status FindExport(hal_string_view_t name, uint32_t* out_ordinal) { return exports_.Find(View(name), out_ordinal); }
  /// As hal_executable_vtable_t::query_export_properties.
  Status QueryExportProperties(uint32_t ordinal, hal_export_properties_t* out_properties);
  const VulkanKernel& Kernel(uint32_t ordinal) const { return kernels_[ordinal]; }
  /// The pipeline for a dispatch, which is made if it is the first of its kind. Thread-safe.
  Status FindPipeline(uint32_t ordinal, const hal_dim3_t& workgroup_size, uint32_t dynamic_local_memory,
                      VkPipeline* out_pipeline);
  /// What can be told of a dispatch before it runs: INVALID_ARGUMENT if the kernel cannot have workgroups of that size.
  Status CheckBeforehand(uint32_t ordinal, const hal_dispatch_params_t& params) const {
    return kernels_[ordinal].pipelines->CheckSize(params.workgroup_size);
  }
  /// Whether the kernel may write to a binding of the flat list.
  bool Writes(uint32_t ordinal, size_t binding) const { return writes_[ordinal][binding]; }

 private:
  explicit VulkanExecutable(VulkanDevice& owner);
  Status Load(const hal_executable_params_t& params);
  Status LoadImage(const hal_executable_params_t& params, std::span<const std::byte> image);
  Status MakeKernel(uint32_t ordinal, KernelSource* source, VkPipelineCache cache, VulkanKernel* out_kernel);
  Status ChooseSubgroups(const hal_export_info_t& info, uint32_t* out_size) const;
  Status CheckKernel(uint32_t ordinal, const SpirvKernel& kernel) const;
  Status MakeLayout(uint32_t ordinal, VulkanKernel* kernel);
  void NoteWrites(uint32_t ordinal);

  VulkanDevice& device_;
  ExportTable exports_;
  KernelConstants constants_;
  HostVector<VulkanKernel> kernels_;     // [export]
  HostVector<HostVector<bool>> writes_;  // [export][binding]
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_EXECUTABLE_H_
