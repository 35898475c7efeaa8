// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lane of a Vulkan queue: a batch of command buffers for each submission, and a timeline that counts them.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_LANE_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_LANE_H_

#include <atomic>

#include "base/status.h"
#include "submission/lane.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_timeline.h"
#include "vulkan/queue/vulkan_probe.h"

namespace halyard::vulkan {

/// A submission waits on the device for the timelines of the submissions that it comes after: those of its own queue
/// too, because Vulkan orders nothing else. It ends with the signal of its epoch to the lane's own timeline, which the
/// host only reads: the driver never calls vkSignalSemaphore, and no other thing signals the timeline.
///
/// **Loss.** Any result VK_ERROR_DEVICE_LOST, and a counter that was never issued, lose the device. Not every driver
/// tells of a loss while it is waited for: see VulkanProbe.
///
/// Locks: under mutex() work is handed over, with the mutex of the native queue, which several lanes may share.
class VulkanLane final : public Lane {
 public:
  VulkanLane(SubmissionDevice& device, VulkanContext& context, VulkanProbe& probe, NativeQueue& native);

  Status Open() override { return timeline_.Open(); }
  void Drain() noexcept override;
  size_t max_batch() const override { return kMaxBatch; }
  Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) override;
  uint64_t Completed() const noexcept override { return completed_.load(std::memory_order_seq_cst); }
  bool Poll(uint64_t epoch, bool again) noexcept override;
  bool Query(uint64_t epoch) noexcept override;
  bool Sleep(uint64_t epoch) noexcept override;
  bool can_block() const override { return true; }
  bool Block(uint64_t epoch, Deadline until) noexcept override { return timeline_.Block(epoch, until); }
  void Watch() noexcept override;

  const VulkanTimeline& timeline() const { return timeline_; }
  /// Whether all that was submitted is known to be completed.
  bool is_drained() const noexcept { return Completed() >= submitted_.load(std::memory_order_acquire); }
  /// @name When the last operation of the lane ended that noted it, in nanoseconds. While profiling without timestamps
  /// @{
  uint64_t last_end() const noexcept { return last_end_.load(std::memory_order_relaxed); }
  void NoteEnd(uint64_t time) noexcept { last_end_.store(time, std::memory_order_relaxed); }
  /// @}

 private:
  Status HandOver(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed);
  /// Has the device signal the end of a submission of which it was given only a part.
  void TellEnd() noexcept;
  Status Run(std::span<const VkCommandBuffer> parts, NativeBatch* work, Handed* out_handed);
  /// Takes over the counter, or what the timeline says that it is. DEVICE_LOST also for a value that was never issued.
  Status ReadCounter() noexcept;
  Status TakeCounter(uint64_t value) noexcept;
  /// Sleeps until `epoch` is reached or a slice has passed. DEVICE_LOST, or OK.
  Status AwaitSlice(uint64_t epoch, Progress* progress) noexcept;
  /// Whether `epoch` is reached; gives the device up if the status says that it is lost.
  bool Conclude(Status status, uint64_t epoch) noexcept;

  SubmissionDevice& device_;
  VulkanContext& context_;
  VulkanProbe& probe_;
  NativeQueue& native_;
  VulkanTimeline timeline_;
  std::atomic<uint64_t> submitted_{0};  // the last epoch that the device was given; written with mutex()
  bool lacks_end_ = false;              // with mutex(): the last submission was handed over in part
  std::atomic<uint64_t> completed_{0};  // rises only
  std::atomic<uint64_t> last_end_{0};
  Progress progress_;  // the completion thread's
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_LANE_H_
