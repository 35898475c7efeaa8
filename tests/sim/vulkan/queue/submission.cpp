// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/submission.h"

#include <algorithm>
#include <iterator>

#include "vulkan/objects/objects.h"

namespace halyard::vulkan_sim {
namespace {

const VkTimelineSemaphoreSubmitInfo* TimelineInfo(const void* chain) {
  auto* at = static_cast<const VkBaseInStructure*>(chain);
  while (at != nullptr && at->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) at = at->pNext;
  return reinterpret_cast<const VkTimelineSemaphoreSubmitInfo*>(at);
}

std::vector<VkSemaphoreSubmitInfo> Points(uint32_t count, const VkSemaphore* semaphores, uint32_t value_count,
                                          const uint64_t* values, const VkPipelineStageFlags* stages) {
  std::vector<VkSemaphoreSubmitInfo> points;
  for (uint32_t i = 0; i < count; ++i) {
    VkSemaphoreSubmitInfo& point = points.emplace_back();
    point = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphores[i], 0,
             VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
    if (i < value_count) point.value = values[i];
    if (stages != nullptr) point.stageMask = stages[i];
  }
  return points;
}

bool MayUsePoints(const char* call, const std::vector<VkSemaphoreSubmitInfo>& points) {
  return std::ranges::all_of(points, [&](const auto& point) { return MayUse(call, Handle(point.semaphore)); });
}

}  // namespace

Submission::Submission(const VkSubmitInfo2& info)
    : flags(info.flags),
      waits(info.pWaitSemaphoreInfos, info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount),
      commands(info.pCommandBufferInfos, info.pCommandBufferInfos + info.commandBufferInfoCount),
      signals(info.pSignalSemaphoreInfos, info.pSignalSemaphoreInfos + info.signalSemaphoreInfoCount) {}

Submission::Submission(const VkSubmitInfo& info) {
  static constexpr VkTimelineSemaphoreSubmitInfo kNoValues = {};
  const VkTimelineSemaphoreSubmitInfo* found = TimelineInfo(info.pNext);
  const VkTimelineSemaphoreSubmitInfo& values = found == nullptr ? kNoValues : *found;
  waits = Points(info.waitSemaphoreCount, info.pWaitSemaphores, values.waitSemaphoreValueCount,
                 values.pWaitSemaphoreValues, info.pWaitDstStageMask);
  signals = Points(info.signalSemaphoreCount, info.pSignalSemaphores, values.signalSemaphoreValueCount,
                   values.pSignalSemaphoreValues, nullptr);
  std::transform(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount, std::back_inserter(commands),
                 [](VkCommandBuffer buffer) {
                   return VkCommandBufferSubmitInfo{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, buffer, 0};
                 });
}

VkSubmitInfo2 Submission::Info() const {
  return {VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
          nullptr,
          flags,
          static_cast<uint32_t>(waits.size()),
          waits.data(),
          static_cast<uint32_t>(commands.size()),
          commands.data(),
          static_cast<uint32_t>(signals.size()),
          signals.data()};
}

std::vector<VkSubmitInfo2> Batch::Infos() const {
  std::vector<VkSubmitInfo2> infos;
  for (const Submission& submission : submissions) infos.push_back(submission.Info());
  return infos;
}

bool Batch::MayBeSubmitted(const char* call) const {
  return MayUse(call, Handle(fence)) && std::ranges::all_of(submissions, [&](const Submission& submission) {
           return MayUsePoints(call, submission.waits) && MayUsePoints(call, submission.signals) &&
                  std::ranges::all_of(submission.commands, [&](const VkCommandBufferSubmitInfo& commands) {
                    return MayUse(call, Handle(commands.commandBuffer));
                  });
         });
}

}  // namespace halyard::vulkan_sim
