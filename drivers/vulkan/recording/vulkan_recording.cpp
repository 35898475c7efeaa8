// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_recording.h"

#include <algorithm>
#include <cstring>

namespace halyard::vulkan {
namespace {

constexpr uint64_t kCountsSize = 12;  // bytes: three counts of workgroups; a word with the answer is behind them

}  // namespace

VulkanRecording::VulkanRecording(VulkanContext& context, VulkanMemory& memory, RecordingOwner& owner)
    : context_(context), owner_(owner), sets_(context), staging_(memory), times_(context) {}

Status VulkanRecording::BeginPart() {
  if (part_count_ == parts_.size()) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_.get();
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer made = VK_NULL_HANDLE;
    HAL_TRY(HAL_VK(vk(), AllocateCommandBuffers, context_.device(), &info, &made));
    parts_.push_back(made);
  }
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  HAL_TRY(HAL_VK(vk(), BeginCommandBuffer, parts_[part_count_], &info));
  ++part_count_;
  bound_ = {};
  return kOk;
}

Status VulkanRecording::EndPart() { return HAL_VK(vk(), EndCommandBuffer, commands()); }

Status VulkanRecording::Begin() {
  if (!pool_) {
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = context_.traits().family;
    HAL_TRY(HAL_VK(vk(), CreateCommandPool, context_.device(), &pool, nullptr, pool_.out(context_)));
  }
  HAL_TRY(HAL_VK(vk(), ResetCommandPool, context_.device(), pool_.get(), 0));
  HAL_TRY(sets_.Reset());
  staging_.Reset();
  times_.Clear();
  bound_sets_.clear();
  count_checks_.clear();
  counts_taken_ = part_count_ = 0;
  writes_host_ = shows_host_ = false;
  return BeginPart();
}

Status VulkanRecording::Split() {
  HAL_TRY(EndPart());
  return BeginPart();
}

Status VulkanRecording::End() {
  times_.End(commands());
  shows_host_ = writes_host_ || checks_counts();
  if (shows_host_) {
    VkMemoryBarrier2 barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    VkDependencyInfo dependency{};
    dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &barrier;
    vk().CmdPipelineBarrier2(commands(), &dependency);
  }
  HAL_TRY(EndPart());
  return staging_.Flush();
}

void VulkanRecording::AddCountCheck(const StagedBytes& checked, std::string_view what, const hal_dim3_t& most) {
  count_checks_.push_back({checked, HostString(what), most});
}

NativeBytes VulkanRecording::TakeCheckedCounts() {
  const StagedBytes& checked = count_checks_[counts_taken_++].checked;
  return {checked.buffer, checked.offset, kCountsSize};
}

Status VulkanRecording::CheckCounts() {
  if (count_checks_.empty()) return kOk;
  HAL_TRY(staging_.Invalidate());
  for (const CountCheck& check : count_checks_) {
    uint32_t rejected = 0;
    std::memcpy(&rejected, check.checked.data + kCountsSize, sizeof(rejected));
    if (rejected == 0) continue;
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "indirect dispatch of '%s': the counts in memory are above %ux%ux%u, the most that the device takes",
                check.what.c_str(), check.most.x, check.most.y, check.most.z);
  }
  return kOk;
}

Status RecordingPool::Acquire(VulkanRecording** out_recording) {
  const std::lock_guard lock(mutex_);
  return AcquireLocked(out_recording);
}

Status RecordingPool::AcquireAhead(VulkanRecording** out_recording) {
  const std::lock_guard lock(mutex_);
  if (all_.size() - idle_.size() < kMostAhead) return AcquireLocked(out_recording);
  *out_recording = nullptr;
  return kOk;
}

Status RecordingPool::AcquireLocked(VulkanRecording** out_recording) {
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);
    RecordingOwner& owner = *this;
    all_.push_back(std::make_unique<VulkanRecording>(context_, memory_, owner));
    *out_recording = all_.back().get();
    return kOk;
  }
  *out_recording = idle_.back();
  idle_.pop_back();
  return kOk;
}

void RecordingPool::Trim() {
  HostVector<std::unique_ptr<VulkanRecording>> unused;  // go without the mutex
  const std::lock_guard lock(mutex_);
  unused.reserve(idle_.size());
  std::ranges::sort(idle_);
  std::erase_if(all_, [&](std::unique_ptr<VulkanRecording>& one) {
    const bool is_idle = std::ranges::binary_search(idle_, one.get());
    if (is_idle) unused.push_back(std::move(one));
    return is_idle;
  });
  idle_.clear();
}

void RecordingPool::TakeBack(VulkanRecording* recording) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(recording);
}

}  // namespace halyard::vulkan
