// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compute pipelines of a kernel: one for each size of workgroup and each amount of dynamic local memory.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_

#include <mutex>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/executable.h"
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

/// The module of an executable with what it was specialised with.
struct KernelSource {
  HostVector<uint32_t> words;
  HostVector<hal_specialization_t> specializations;
  OwnedPipelineCache cache;
};

/// Thread-safe. A pipeline lives as long as this.
class KernelPipelines {
 public:
  /// @param size_at  where LocalSize stands in the words; 0 if constants give it
  KernelPipelines(const VulkanContext& context, const KernelSource& source, HostString entry_point, size_t size_at,
                  VkPipelineLayout layout)
      : context_(context), source_(source), entry_point_(std::move(entry_point)), size_at_(size_at), layout_(layout) {}

  /// Makes the pipeline unless there is one. RESOURCE_EXHAUSTED if there are too many.
  Status Find(const PipelineVariant& variant, VkPipeline* out_pipeline);

 private:
  static constexpr size_t kMost = 64;

  struct Made {
    PipelineVariant variant;
    OwnedPipeline pipeline;
  };

  Status Make(const PipelineVariant& variant, OwnedPipeline* out_pipeline) const;
  Status MakeModule(const PipelineVariant& variant, OwnedShaderModule* out_module) const;

  const VulkanContext& context_;
  const KernelSource& source_;
  const HostString entry_point_;
  const size_t size_at_;
  const VkPipelineLayout layout_;
  std::mutex mutex_;  // protects what follows; held while a pipeline is made
  HostVector<Made> made_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINES_H_
