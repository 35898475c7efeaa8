// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a queue operation does on a Vulkan device.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "submission/block_action.h"
#include "vulkan/native/vulkan_headers.h"
#include "vulkan/recording/vulkan_commands.h"

namespace halyard::vulkan {

class VulkanQueueDevice;

/// One command buffer of Vulkan, or none.
class VulkanAction final : public BlockAction {
 public:
  VulkanQueueDevice& vulkan_device() const;
  /// After Capture(), before Defer().
  using BlockAction::Prepare;

  /// After Prepare(), before Defer(), on the thread that submits: does of a single command what needs no wait to have
  /// ended. What fails is told when the waits have ended.
  void PrepareCommand() noexcept;

  /// For the lane: what to run, each in a submission of its own except the last.
  std::span<const VkCommandBuffer> native_commands() const;
  /// After Prepare(): does nothing but set a timeline of the application, even if it fails.
  void SetExternal(VkSemaphore semaphore, uint64_t value) {
    sets_external_ = true;
    external_ = {semaphore, value};
  }

  /// What its end sets of the application; without a semaphore if it sets nothing.
  struct ExternalPoint {
    VkSemaphore semaphore = VK_NULL_HANDLE;
    uint64_t value = 0;
  };
  const ExternalPoint& external() const { return external_; }
  /// The device has been given it.
  void ExternalSubmitted() { external_ = {}; }

 protected:
  BlockBuffer& block_buffer() const override;
  Status SubmitStage(SubmissionQueue& queue) override;
  bool checks_stage() const override;
  Status CheckStage() override;
  std::string_view Name() const override;
  void EndWork(uint64_t* start, uint64_t* end) noexcept override;
  Status RunIo() override;
  const RecordedCommands* recorded() const override;
  void Recycle() noexcept override;

 private:
  void RecordAhead() noexcept;
  void ReturnRecording() noexcept;
  Status Record();
  Timing WantedTiming() const;
  void ReportTimes(uint64_t* start, uint64_t* end) noexcept;
  void OrderTimes(uint64_t* start, uint64_t end) const noexcept;

  VulkanRecording* recording_ = nullptr;  // this operation's until EndWork(); of one that never ran until Recycle()
  Failure ahead_;                         // of PrepareCommand()
  bool sets_external_ = false;
  ExternalPoint external_;  // until it is submitted
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_ACTION_H_
