// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the host writes for one recording: data of updates, patterns of fills, words that the device answers in.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_STAGING_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_STAGING_H_

#include <cstdint>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/memory/vulkan_memory.h"

namespace halyard::vulkan {

/// Bytes in staging memory.
struct StagedBytes {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  char* data = nullptr;
};

/// Blocks that are filled one after the other and begun again all at once. One thread at a time.
class VulkanStaging {
 public:
  explicit VulkanStaging(VulkanMemory& memory) : memory_(memory) {}

  /// `length` bytes at a multiple of `alignment`, a power of two up to 256. Until Reset().
  Status Take(uint64_t length, uint64_t alignment, StagedBytes* out);
  /// Nothing uses the bytes any more.
  void Reset() {
    current_ = 0;
    used_ = 0;
  }
  /// What the host wrote is there for the device.
  Status Flush();
  /// What the device wrote is there for the host.
  Status Invalidate();

 private:
  static constexpr uint64_t kFirstBlock = uint64_t{16} << 10;  // bytes; each block is twice as large as the last
  static constexpr uint64_t kLargestBlock = uint64_t{1} << 20;

  struct Block {
    std::unique_ptr<VulkanBlock> memory;
    uint64_t size = 0;  // bytes
  };

  Status NextBlock(uint64_t length);

  VulkanMemory& memory_;
  HostVector<Block> blocks_;
  size_t current_ = 0;  // of blocks_; its size if there is none
  uint64_t used_ = 0;   // bytes of the current block
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_STAGING_H_
