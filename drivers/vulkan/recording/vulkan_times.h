// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the device works on a recording and on its dispatches, while profiling.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_TIMES_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_TIMES_H_

#include <cstdint>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"
#include "vulkan/native/vulkan_clock.h"
#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// The timestamps of one recording. If there can be none, dispatches begin with their operation and take no time:
/// profiling fails no operation.
class VulkanTimes {
 public:
  explicit VulkanTimes(const VulkanContext& context) : context_(context) {}

  void Clear() { active_ = false; }

  /// The recording has begun. `dispatches` of its commands are timed too, at most.
  void Begin(VkCommandBuffer commands, size_t dispatches);
  void End(VkCommandBuffer commands);
  /// @name Around a dispatch
  /// @{
  void BeginDispatch(VkCommandBuffer commands, uint32_t command, const hal_export_info_t& info, hal_dim3_t count);
  void EndDispatch(VkCommandBuffer commands);
  /// @}

  /// After the execution: narrows the times of the operation, in nanoseconds, and reports the dispatches, each within.
  /// `record` has what they share.
  void Report(VulkanClock& clock, ProfilingSession& session, OperationRecord record, uint64_t* start, uint64_t* end);

 private:
  static constexpr size_t kMost = 8192;  // dispatches that are timed

  struct Dispatch {
    uint32_t command;
    const hal_export_info_t* info;
    hal_dim3_t count;
  };

  bool MakePool(uint32_t queries);
  void Stamp(VkCommandBuffer commands);

  const VulkanContext& context_;
  bool active_ = false;
  bool times_dispatches_ = false;
  OwnedQueryPool pool_;
  uint32_t capacity_ = 0;  // queries of the pool; 0 without one
  uint32_t used_ = 0;      // 0 without a pool
  HostVector<Dispatch> dispatches_;
  HostVector<uint64_t> ticks_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_TIMES_H_
