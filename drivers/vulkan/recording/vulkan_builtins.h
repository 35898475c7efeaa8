// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the driver's own: they check counts of workgroups, and copy where Vulkan's command is slow.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_BUILTINS_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_BUILTINS_H_

#include <mutex>
#include <span>

#include "base/status.h"
#include "halyard/base.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/recording/vulkan_recording.h"
#include "vulkan/recording/vulkan_transfers.h"

namespace halyard::vulkan {

/// The kernels take two buffers and some numbers. They are compiled when they are recorded first. Thread-safe.
class VulkanBuiltins {
 public:
  explicit VulkanBuiltins(const VulkanContext& context) : context_(context) {}

  /// Copies three counts to `checked`, four words, or zeros if they are above `most`; the fourth word is 1 then.
  Status RecordCountCheck(VulkanRecording& recording, const NativeBytes& counts, const StagedBytes& checked,
                          const hal_dim3_t& most);
  /// Copies as RecordCopy() does, most of it by a kernel.
  Status RecordCopy(VulkanRecording& recording, const NativeBytes& target, VkBuffer source, uint64_t source_offset);
  /// Whether no byte is left to Vulkan's command.
  static bool CopiesAll(uint64_t source_offset, uint64_t target_offset, uint64_t length);

 private:
  Status Prepare();
  Status CopyGroups(VulkanRecording& recording, const NativeBytes& target, VkBuffer source, uint64_t source_offset);
  Status MakePipeline(std::span<const uint32_t> words, OwnedPipeline* out_pipeline);
  Status Bind(VulkanRecording& recording, VkPipeline pipeline, const VkDescriptorBufferInfo& first,
              const VkDescriptorBufferInfo& second, std::span<const uint32_t> params);
  /// A range that begins where a descriptor may, at or before `offset`. `out_item` is where `offset` is in it, in items
  /// of `item` bytes.
  VkDescriptorBufferInfo RangeFrom(VkBuffer buffer, uint64_t offset, uint64_t length, uint64_t item,
                                   uint32_t* out_item) const;

  const VulkanContext& context_;
  std::mutex mutex_;  // protects what follows, until it is made
  bool is_ready_ = false;
  OwnedSetLayout set_layout_;
  OwnedPipelineLayout layout_;
  OwnedPipeline count_check_;
  OwnedPipeline copy_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_BUILTINS_H_
