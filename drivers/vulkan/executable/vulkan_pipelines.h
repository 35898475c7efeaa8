// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compute pipelines of a kernel: one for each size of workgroup and each amount of dynamic local memory.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_

#include <mutex>
#include <span>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "halyard/executable.h"
#include "image/reflection/spirv/spirv_divider.h"
#include "image/reflection/spirv/spirv_reflection.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// What a pipeline is made for.
struct PipelineVariant {
  hal_dim3_t workgroup_size{};
  uint32_t dynamic_local_memory = 0;  ///< bytes

  bool operator==(const PipelineVariant& other) const {
    return workgroup_size.x == other.workgroup_size.x && workgroup_size.y == other.workgroup_size.y &&
           workgroup_size.z == other.workgroup_size.z && dynamic_local_memory == other.dynamic_local_memory;
  }
};

inline PipelineVariant VariantOf(const hal_dispatch_params_t& params) {
  return {params.workgroup_size, params.dynamic_local_memory};
}

/// What all kernels of an executable are specialised with.
struct KernelConstants {
  HostVector<hal_specialization_t> given;
  bool has_sizes = false;  ///< numbers 0 to 2 are the size of a workgroup
};

/// A module with one kernel.
struct KernelModule {
  SpirvWords words;
  SpirvKernel kernel;
  uint32_t subgroup_size = 0;  ///< work-items, that pipelines ask for; 0 for the device's own
};

/// Thread-safe. A pipeline lives as long as this.
class KernelPipelines {
 public:
  KernelPipelines(const VulkanContext& context, const KernelConstants& constants, KernelModule module,
                  VkPipelineLayout layout)
      : context_(context), constants_(constants), module_(std::move(module)), layout_(layout) {}

  /// Makes the pipeline unless there is one, with a cache if that is not NULL. RESOURCE_EXHAUSTED if there are too
  /// many; as CheckSize() for a size that cannot be.
  Status Find(const PipelineVariant& variant, VkPipelineCache cache, VkPipeline* out_pipeline);
  /// INVALID_ARGUMENT if the kernel has another size, which no constant changes; OUT_OF_RANGE if a workgroup has more
  /// subgroups of the kernel's size than the device takes. Without a lock.
  Status CheckSize(const hal_dim3_t& size) const;
  /// That pipelines ask for; 0 for the device's own.
  uint32_t subgroup_size() const { return module_.subgroup_size; }

 private:
  static constexpr size_t kMost = 64;

  struct Made {
    PipelineVariant variant;
    OwnedPipeline pipeline;
  };

  Status CheckShared(const hal_dim3_t& size) const;
  Status Make(const PipelineVariant& variant, VkPipelineCache cache, OwnedPipeline* out_pipeline) const;
  Status MakeModule(const PipelineVariant& variant, OwnedShaderModule* out_module) const;

  const VulkanContext& context_;
  const KernelConstants& constants_;
  const KernelModule module_;
  const VkPipelineLayout layout_;
  std::mutex mutex_;  // protects what follows; held while a pipeline is made
  HostVector<Made> made_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_
