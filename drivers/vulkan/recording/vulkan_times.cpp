// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_times.h"

#include <algorithm>

namespace halyard::vulkan {

bool VulkanTimes::MakePool(uint32_t queries) {
  if (queries <= capacity_) return true;
  if (context_.traits().timestamp_bits == 0) return false;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = queries;
  const bool made = context_.vk().CreateQueryPool(context_.device(), &info, nullptr, pool_.out(context_)) == VK_SUCCESS;
  capacity_ = made ? queries : 0;
  return made;
}

// Two for the whole, then two for each dispatch.
void VulkanTimes::Begin(VkCommandBuffer commands, size_t dispatches) {
  dispatches_.clear();
  active_ = true;
  times_dispatches_ = dispatches > 0;
  used_ = 0;
  if (!MakePool(static_cast<uint32_t>(2 + 2 * std::min(dispatches, kMost)))) return;
  context_.vk().ResetQueryPool(context_.device(), pool_.get(), 0, capacity_);
  Stamp(commands);
  ++used_;  // the end's
}

// Behind all that came before, so that the times of dependent work do not overlap.
void VulkanTimes::Stamp(VkCommandBuffer commands) {
  if (!active_ || used_ >= capacity_) return;
  context_.vk().CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_.get(), used_++);
}

void VulkanTimes::End(VkCommandBuffer commands) {
  if (!active_ || used_ == 0) return;
  context_.vk().CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_.get(), 1);
}

void VulkanTimes::BeginDispatch(VkCommandBuffer commands, uint32_t command, const hal_export_info_t& info,
                                hal_dim3_t count) {
  if (!active_ || !times_dispatches_) return;
  dispatches_.push_back({command, &info, count});
  Stamp(commands);
}

void VulkanTimes::EndDispatch(VkCommandBuffer commands) {
  if (times_dispatches_) Stamp(commands);
}

void VulkanTimes::Report(VulkanClock& clock, ProfilingSession& session, OperationRecord record, uint64_t* start,
                         uint64_t* end) {
  if (!active_) return;
  ticks_.assign(used_, 0);
  const bool known =
      used_ > 0 && clock.works() &&
      context_.vk().GetQueryPoolResults(context_.device(), pool_.get(), 0, used_, used_ * sizeof(uint64_t),
                                        ticks_.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT) == VK_SUCCESS;
  const auto time_of = [&](size_t query, uint64_t otherwise) {
    const uint64_t told = known && query < used_ ? clock.ToHost(ticks_[query]) : 0;
    return told == 0 ? otherwise : std::clamp(told, *start, *end);
  };
  *start = time_of(0, *start);
  *end = time_of(1, *end);
  record.kind = HAL_PROFILING_RECORD_KIND_DISPATCH;
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    record.name = dispatches_[i].info->name;
    record.command = dispatches_[i].command;
    record.workgroup_count = dispatches_[i].count;
    record.start_time = time_of(2 + 2 * i, *start);
    record.end_time = std::max(time_of(3 + 2 * i, *start), record.start_time);
    session.RecordDispatch(record);
  }
}

}  // namespace halyard::vulkan
