// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptor sets of one recording.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_SET_ARENA_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_SET_ARENA_H_

#include <cstdint>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// Pools of descriptors, which are used one after the other and begun again all at once. One thread at a time.
class SetArena {
 public:
  explicit SetArena(const VulkanContext& context) : context_(context) {}

  /// A set with so many buffers, until Reset().
  Status Allocate(VkDescriptorSetLayout layout, const DescriptorCounts& needed, VkDescriptorSet* out_set);
  /// Nothing uses the sets any more.
  Status Reset();

 private:
  struct Pool {
    OwnedDescriptorPool handle;
    uint32_t sets = 0;     // that it has
    DescriptorCounts has;  // the same
  };

  bool Fits(const DescriptorCounts& needed) const;
  Status NextPool(const DescriptorCounts& needed);

  const VulkanContext& context_;
  HostVector<Pool> pools_;
  size_t current_ = 0;      // of pools_; its size if there is none
  uint32_t sets_used_ = 0;  // of the current pool
  DescriptorCounts used_;   // the same
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_SET_ARENA_H_
