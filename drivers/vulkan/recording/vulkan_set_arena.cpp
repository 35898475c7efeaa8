// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_set_arena.h"

#include <algorithm>
#include <utility>

namespace halyard::vulkan {
namespace {

constexpr uint32_t kFirstSets = 16;
constexpr uint32_t kMostSets = 4096;
constexpr uint32_t kDescriptorsPerSet = 8;  // on average

}  // namespace

Status SetArena::Allocate(VkDescriptorSetLayout layout, uint32_t descriptors, VkDescriptorSet* out_set) {
  if (current_ == pools_.size() || sets_used_ == pools_[current_].sets ||
      descriptors > pools_[current_].descriptors - descriptors_used_) {
    HAL_TRY(NextPool(descriptors));
  }
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pools_[current_].handle.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  HAL_TRY(HAL_VK(context_.vk(), AllocateDescriptorSets, context_.device(), &info, out_set));
  ++sets_used_;
  descriptors_used_ += descriptors;
  return kOk;
}

// Each new one is twice as large.
Status SetArena::NextPool(uint32_t descriptors) {
  while (current_ < pools_.size()) {
    ++current_;
    sets_used_ = descriptors_used_ = 0;
    if (current_ < pools_.size() && pools_[current_].descriptors >= descriptors) return kOk;
  }
  Pool pool;
  pool.sets = pools_.empty() ? kFirstSets : std::min(pools_.back().sets * 2, kMostSets);
  pool.descriptors = std::max(pool.sets * kDescriptorsPerSet, descriptors);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pool.descriptors};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.flags = context_.updates_sets() ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0;
  info.maxSets = pool.sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  HAL_TRY(HAL_VK(context_.vk(), CreateDescriptorPool, context_.device(), &info, nullptr, pool.handle.out(context_)));
  pools_.push_back(std::move(pool));
  return kOk;
}

Status SetArena::Reset() {
  for (size_t i = 0; i <= current_ && i < pools_.size(); ++i) {
    HAL_TRY(HAL_VK(context_.vk(), ResetDescriptorPool, context_.device(), pools_[i].handle.get(), 0));
  }
  current_ = 0;
  sets_used_ = descriptors_used_ = 0;
  return kOk;
}

}  // namespace halyard::vulkan
