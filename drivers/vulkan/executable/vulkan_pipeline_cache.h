// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled pipelines beyond the life of the process: Vulkan's pipeline cache in the application's blob store.
#ifndef HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINE_CACHE_H_
#define HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINE_CACHE_H_

#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/blob_store.h"
#include "halyard/executable.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// The cache of one executable. Whatever fails costs a compilation, nothing else.
class StoredPipelineCache {
 public:
  /// Without a store nothing is loaded or stored.
  StoredPipelineCache(const VulkanContext& context, const hal_blob_store_t* blobs) : context_(context), blobs_(blobs) {}

  /// Makes a cache with what is stored for a module with these specialisation constants and exports.
  void Open(std::span<const uint32_t> words, const hal_executable_params_t& params);
  VkPipelineCache get() const { return cache_.get(); }
  /// Stores what the cache holds, if it is more than before.
  void Store() noexcept;

 private:
  bool Fits(std::span<const std::byte> blob) const;
  void Make(std::span<const std::byte> blob);

  const VulkanContext& context_;
  const hal_blob_store_t* const blobs_;
  HostString key_;
  size_t loaded_ = 0;  // bytes that were found
  OwnedPipelineCache cache_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_EXECUTABLE_VULKAN_PIPELINE_CACHE_H_
