// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a queue operation does on a Vulkan device.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_

#include "base/status.h"
#include "submission/submission_action.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/recording/vulkan_commands.h"

namespace halyard::vulkan {

class VulkanDevice;

/// One command buffer of Vulkan, or none. A queue allocation takes memory without the device; only if there is none
/// left it goes through a lane first, so that what is freed before it counts.
class VulkanAction final : public SubmissionAction {
 public:
  VulkanDevice& vulkan_device() const;
  /// After Capture(), before Defer().
  void Prepare();

  /// For the lane: what to run; NULL for nothing.
  VkCommandBuffer native_commands() const;

 protected:
  bool IsForDevice() const override;
  bool RunWithoutLane(QueuePoint* after) noexcept override;
  Status SubmitStage(SubmissionQueue& queue) override;
  bool has_more_stages() const override { return awaits_memory_; }
  bool checks_stage() const override;
  Status CheckStage() override;
  void EndWork(uint64_t* start, uint64_t* end) noexcept override;
  Status RunOperation() override;
  void Recycle() noexcept override;

 private:
  bool TakeMemory(QueuePoint* after) noexcept;
  Status CheckMemory();
  Status Record();
  Timing WantedTiming() const;
  void ReportTimes(uint64_t* start, uint64_t* end) noexcept;
  Status RunIo();

  VulkanRecording* recording_ = nullptr;  // this operation's until EndWork()
  bool awaits_memory_ = false;            // an ALLOCA that goes through a lane before it tries again
  bool frees_at_end_ = false;             // a DEALLOCA that comes after several submissions
  Failure no_memory_;                     // of an ALLOCA
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_
