// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/native/vulkan_timeline.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/wait_policy.h"

namespace halyard::vulkan {
namespace {

constexpr std::chrono::milliseconds kPauseAfterFailure(1);

VkSemaphoreSubmitInfo PointOf(VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  info.semaphore = semaphore;
  info.value = value;
  info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  return info;
}

VkResult AwaitValue(const VulkanContext& context, VkSemaphore semaphore, uint64_t value, uint64_t timeout) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  return context.vk().WaitSemaphores(context.device(), &info, timeout);
}

}  // namespace

Status VulkanTimeline::Open() {
  if (handle_) return kOk;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  return HAL_VK(context_.vk(), CreateSemaphore, context_.device(), &info, nullptr, handle_.out(context_));
}

Status VulkanTimeline::Read(uint64_t* out_value) const {
  return HAL_VK(context_.vk(), GetSemaphoreCounterValue, context_.device(), handle(), out_value);
}

bool VulkanTimeline::Block(uint64_t value, Deadline until) const {
  const uint64_t now = MonotonicNanoseconds();
  if (until.nanoseconds <= now) return true;
  const uint64_t timeout = std::min(until.nanoseconds - now, kLongestVendorWait);
  const VkResult result = AwaitValue(context_, handle(), value, timeout);
  return result == VK_SUCCESS || result == VK_TIMEOUT;
}

Status AwaitTimelineSlice(const VulkanContext& context, VkSemaphore semaphore, uint64_t value, uint64_t* out_reached) {
  const VkResult result = AwaitValue(context, semaphore, value, kLongestVendorWait);
  Failure failure(result == VK_TIMEOUT ? kOk : CheckCall("vkWaitSemaphores", result));
  bool pauses = static_cast<bool>(failure);
  if (failure.code() != HAL_STATUS_DEVICE_LOST) {
    failure = Failure(HAL_VK(context.vk(), GetSemaphoreCounterValue, context.device(), semaphore, out_reached));
    pauses |= static_cast<bool>(failure);
  }
  if (pauses) std::this_thread::sleep_for(kPauseAfterFailure);
  return failure.Take();
}

Status CheckTimelineValue(uint64_t value, uint64_t submitted) {
  if (value <= submitted) return kOk;
  return FailWith(HAL_STATUS_DEVICE_LOST, "a timeline of the device has a value that was never submitted");
}

void NativeBatch::WaitFor(const VulkanTimeline& timeline, uint64_t value) {
  waits_[wait_count_++] = PointOf(timeline.handle(), value);
}

void NativeBatch::Run(VkCommandBuffer commands) {
  VkCommandBufferSubmitInfo& info = commands_[command_count_++];
  info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  info.commandBuffer = commands;
}

// One submission signals a semaphore once: of several values the largest counts.
Status NativeBatch::SetExternal(const VulkanContext& context, VkSemaphore semaphore, uint64_t value) {
  uint64_t reached = 0;
  HAL_TRY(HAL_VK(context.vk(), GetSemaphoreCounterValue, context.device(), semaphore, &reached));
  if (reached >= value) return kOk;
  for (uint32_t i = 0; i < signal_count_; ++i) {
    if (signals_[i].semaphore != semaphore) continue;
    signals_[i].value = std::max(signals_[i].value, value);
    return kOk;
  }
  signals_[signal_count_++] = PointOf(semaphore, value);
  return kOk;
}

Status NativeBatch::Hand(const VulkanContext& context, NativeQueue& queue,
                         std::span<const VkSemaphoreSubmitInfo> signals) {
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = wait_count_;
  info.pWaitSemaphoreInfos = waits_.data();
  info.commandBufferInfoCount = command_count_;
  info.pCommandBufferInfos = commands_.data();
  info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
  info.pSignalSemaphoreInfos = signals.data();
  const std::lock_guard lock(queue.mutex);
  return HAL_VK(context.vk(), QueueSubmit2, queue.handle, 1, &info, VK_NULL_HANDLE);
}

Status NativeBatch::SubmitPart(const VulkanContext& context, NativeQueue& queue) {
  HAL_TRY(Hand(context, queue, {}));
  wait_count_ = command_count_ = 0;
  return kOk;
}

Status NativeBatch::Submit(const VulkanContext& context, NativeQueue& queue, const VulkanTimeline& timeline,
                           uint64_t value) {
  signals_[signal_count_] = PointOf(timeline.handle(), value);
  return Hand(context, queue, {signals_.data(), signal_count_ + 1});
}

}  // namespace halyard::vulkan
