// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch binds, as descriptors.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_BINDINGS_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_BINDINGS_H_

#include <array>
#include <cstdint>

#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "halyard/driver_api.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/recording/vulkan_commands.h"
#include "vulkan/recording/vulkan_recording.h"
#include "vulkan/recording/vulkan_transfers.h"

namespace halyard::vulkan {

/// Where a range is for Vulkan. FAILED_PRECONDITION if its buffer has no memory.
Status ToNative(const BufferRange& range, NativeBytes* out);

/// Puts the addresses of a dispatch's bindings where its kernel takes them among the constants, and tells the recording
/// what the kernel writes there.
Status PutAddresses(const CommandContext& context, const hal_command_dispatch_t& dispatch, char* constants);

/// The ranges of a dispatch's bindings, and the descriptor sets that name them.
class DispatchBindings {
 public:
  /// Looks them up, and tells the recording what the kernel writes.
  Status Resolve(const CommandContext& context, const hal_command_dispatch_t& dispatch);
  /// Writes a set that no work of the device uses.
  void Write(const VulkanContext& context, const KernelSet& set, VkDescriptorSet handle) const;

 private:
  /// For an empty binding, whose block has `size` bytes in the kernel.
  static VkDescriptorBufferInfo Nothing(const CommandContext& context, uint64_t size);

  std::array<VkDescriptorBufferInfo, kMaxBindings> ranges_;  // as many as the dispatch has
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_BINDINGS_H_
