// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/vulkan_probe.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "base/clock.h"
#include "base/host_event.h"
#include "driver_kit/object/vtable.h"

namespace halyard::vulkan {
namespace {

constexpr uint64_t kPatience = 500'000'000;       // nanoseconds without progress, and between looks
constexpr uint64_t kLongestStep = 1'000'000'000;  // between looks; what is beyond it the process may have been stopped
// A device that was lost, and does not say so, is waited for so long.
constexpr int kSlicesAfterLoss = 20;
constexpr uint64_t kAnswerTime = 100'000'000;  // nanoseconds
constexpr uint64_t kLongestEnd = 10 * kNanosecondsPerSecond;

}  // namespace

struct VulkanProbe::IdleWait {
  HostEvent ended;
  VkResult result = VK_SUCCESS;  // once that is set
};

VulkanProbe::~VulkanProbe() { EndIdleWait(); }

void VulkanProbe::EndIdleWait() noexcept {
  const std::lock_guard lock(mutex_);
  if (idle_wait_ && !idle_wait_->ended.Wait(DeadlineAfter(kLongestEnd))) context_.Abandon();
  if (context_.abandoned()) {
    idle_thread_.Abandon();
  } else {
    idle_thread_.End();
  }
}

Status VulkanProbe::AwaitSlice(const VulkanTimeline& timeline, uint64_t value, Progress* progress) {
  if (context_.abandoned()) return FailTimeout();
  uint64_t reached = progress->value;
  Failure failure(timeline.AwaitSlice(value, &reached));
  return failure.code() == HAL_STATUS_DEVICE_LOST ? failure.Take() : Watch(reached, progress);
}

Status VulkanProbe::AwaitLast(const VulkanTimeline& timeline, uint64_t last, const DeviceHealth& health) {
  Progress progress;
  for (int slices = 0; slices < kSlicesAfterLoss; slices += health.lost() ? 1 : 0) {
    HAL_TRY(AwaitSlice(timeline, last, &progress));
    HAL_TRY(CheckTimelineValue(progress.value, last));
    if (progress.value == last) return kOk;
  }
  context_.Abandon();
  return health.Check();
}

Status VulkanProbe::Watch(uint64_t value, Progress* progress) {
  const uint64_t now = MonotonicNanoseconds();
  if (value != progress->value || progress->since == 0) {
    *progress = {value, now, now, moves_.fetch_add(1, std::memory_order_relaxed) + 1, 0};
    return kOk;
  }
  HAL_TRY(CheckTimeout(now, progress));
  if (now - progress->since < kPatience) return kOk;
  Failure failure(Look(now));
  return failure.code() == HAL_STATUS_DEVICE_LOST ? failure.Take() : kOk;
}

Status VulkanProbe::FailTimeout() const {
  return Fail(HAL_STATUS_DEVICE_LOST,
              "no work of the device has ended in %" PRIu64 " s of waiting: it counts as lost (parameter 'timeout')",
              timeout_ / kNanosecondsPerSecond);
}

// Work behind that of another queue makes no progress either, so that of all queues counts.
Status VulkanProbe::CheckTimeout(uint64_t now, Progress* progress) {
  if (context_.abandoned()) return FailTimeout();
  const uint64_t moves = moves_.load(std::memory_order_relaxed);
  const uint64_t step = std::min(now - progress->last, kLongestStep);
  progress->stood = moves == progress->moves ? progress->stood + step : 0;
  progress->moves = moves;
  progress->last = now;
  if (timeout_ == 0 || progress->stood < timeout_) return kOk;
  context_.Abandon();
  return FailTimeout();
}

Status VulkanProbe::Look(uint64_t now) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || now < last_look_ + kPatience) return kOk;  // another thread looks, or has looked
  last_look_ = now;
  if (context_.spare_queue().handle != VK_NULL_HANDLE) return LookBySpareQueue();
  NativeQueue& queue = context_.queue(0);
  const std::lock_guard queue_lock(queue.mutex);
  return HAL_VK(context_.vk(), QueueSubmit2, queue.handle, 0, nullptr, VK_NULL_HANDLE);
}

Status VulkanProbe::LookBySpareQueue() {
  if (idle_wait_) return AskIdleWait();
  uint64_t reached = 0;
  HAL_TRY(timeline_.Open());
  HAL_TRY(timeline_.Read(&reached));
  if (reached < submitted_) return StartIdleWait();
  HAL_TRY(NativeBatch().Submit(context_, context_.spare_queue(), timeline_, submitted_ + 1));
  ++submitted_;
  return kOk;
}

Status VulkanProbe::StartIdleWait() {
  const auto call = context_.vk().QueueWaitIdle;
  const VkQueue queue = context_.spare_queue().handle;
  const Status status = Guard([&] {
    auto wait = std::make_shared<IdleWait>();
    HAL_TRY(idle_thread_.Start("hal-idle-wait", "the thread that waits for the spare queue", [wait, call, queue] {
      wait->result = call(queue);
      wait->ended.Set();
    }));
    idle_wait_ = std::move(wait);
    return kOk;
  });
  return status == kOk ? AskIdleWait() : status;
}

Status VulkanProbe::AskIdleWait() {
  if (!idle_wait_->ended.Wait(DeadlineAfter(kAnswerTime))) return kOk;
  const VkResult result = idle_wait_->result;
  idle_wait_.reset();
  idle_thread_.End();
  return CheckCall("vkQueueWaitIdle", result);
}

}  // namespace halyard::vulkan
