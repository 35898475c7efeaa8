// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_set_arena.h"

#include <algorithm>
#include <array>
#include <utility>

namespace halyard::vulkan {
namespace {

constexpr uint32_t kFirstSets = 16;
constexpr uint32_t kMostSets = 4096;
constexpr DescriptorCounts kPerSet = {8, 1};  // descriptors, on average

}  // namespace

bool SetArena::Fits(const DescriptorCounts& needed) const {
  if (current_ == pools_.size() || sets_used_ == pools_[current_].sets) return false;
  const DescriptorCounts& has = pools_[current_].has;
  return needed.storage <= has.storage - used_.storage && needed.uniform <= has.uniform - used_.uniform;
}

Status SetArena::Allocate(VkDescriptorSetLayout layout, const DescriptorCounts& needed, VkDescriptorSet* out_set) {
  if (!Fits(needed)) HAL_TRY(NextPool(needed));
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pools_[current_].handle.get();
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  HAL_TRY(HAL_VK(context_.vk(), AllocateDescriptorSets, context_.device(), &info, out_set));
  ++sets_used_;
  used_.storage += needed.storage;
  used_.uniform += needed.uniform;
  return kOk;
}

// Each new one is twice as large.
Status SetArena::NextPool(const DescriptorCounts& needed) {
  while (current_ < pools_.size()) {
    ++current_;
    sets_used_ = 0;
    used_ = {};
    if (Fits(needed)) return kOk;
  }
  Pool pool;
  pool.sets = pools_.empty() ? kFirstSets : std::min(pools_.back().sets * 2, kMostSets);
  pool.has = {std::max(pool.sets * kPerSet.storage, needed.storage),
              std::max(pool.sets * kPerSet.uniform, needed.uniform)};
  const std::array<VkDescriptorPoolSize, 2> sizes = {
      {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pool.has.storage}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, pool.has.uniform}}};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.flags = context_.updates_sets() ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0;
  info.maxSets = pool.sets;
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  HAL_TRY(HAL_VK(context_.vk(), CreateDescriptorPool, context_.device(), &info, nullptr, pool.handle.out(context_)));
  pools_.push_back(std::move(pool));
  return kOk;
}

Status SetArena::Reset() {
  for (size_t i = 0; i <= current_ && i < pools_.size(); ++i) {
    HAL_TRY(HAL_VK(context_.vk(), ResetDescriptorPool, context_.device(), pools_[i].handle.get(), 0));
  }
  current_ = 0;
  sets_used_ = 0;
  used_ = {};
  return kOk;
}

}  // namespace halyard::vulkan
