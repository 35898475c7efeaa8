// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines that queues signal, and what a submission is made of.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_TIMELINE_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_TIMELINE_H_

#include <array>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "base/status.h"
#include "submission/queue_point.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// The most command buffers of one submission.
inline constexpr size_t kMaxBatch = 16;

/// Sleeps until a timeline has a value, or some 100 ms have passed, and reads it. Also sleeps for a moment if a call
/// fails, as it is made again then.
Status AwaitTimelineSlice(const VulkanContext& context, VkSemaphore semaphore, uint64_t value, uint64_t* out_reached);

/// DEVICE_LOST for a value above `submitted`, the last that anything is to set: a lost device's timelines may have one.
Status CheckTimelineValue(uint64_t value, uint64_t submitted);

/// A semaphore with a rising value. The host reads it and waits for it, and never sets it.
class VulkanTimeline {
 public:
  explicit VulkanTimeline(VulkanContext& context) : context_(context) {}

  Status Open();
  VkSemaphore handle() const { return handle_.get(); }
  Status Read(uint64_t* out_value) const;
  /// See AwaitTimelineSlice().
  Status AwaitSlice(uint64_t value, uint64_t* out_reached) const {
    return AwaitTimelineSlice(context_, handle(), value, out_reached);
  }
  /// Sleeps until the timeline has a value, or until the deadline, and 100 ms at most. Returns false if the call fails.
  bool Block(uint64_t value, Deadline until) const;

 private:
  VulkanContext& context_;
  OwnedSemaphore handle_;
};

/// What one vkQueueSubmit2 is given.
class NativeBatch {
 public:
  void WaitFor(const VulkanTimeline& timeline, uint64_t value);
  void Run(VkCommandBuffer commands);
  /// What follows waits for nothing but the queue's order: it comes after barriers that were recorded.
  Status SubmitPart(const VulkanContext& context, NativeQueue& queue);
  /// Its end sets a timeline of the application, too, unless that is further.
  Status SetExternal(const VulkanContext& context, VkSemaphore semaphore, uint64_t value);
  /// Its end makes the timeline's value `value`.
  Status Submit(const VulkanContext& context, NativeQueue& queue, const VulkanTimeline& timeline, uint64_t value);

 private:
  Status Hand(const VulkanContext& context, NativeQueue& queue, std::span<const VkSemaphoreSubmitInfo> signals);

  std::array<VkSemaphoreSubmitInfo, kMaxQueues + kInteropQueues> waits_;
  std::array<VkCommandBufferSubmitInfo, kMaxBatch> commands_;
  std::array<VkSemaphoreSubmitInfo, kMaxBatch + 1> signals_;  // the last is the timeline's own
  uint32_t wait_count_ = 0;
  uint32_t command_count_ = 0;
  uint32_t signal_count_ = 0;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_TIMELINE_H_
