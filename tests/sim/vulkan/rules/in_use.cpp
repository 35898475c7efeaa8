// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/rules/in_use.h"

#include <algorithm>

#include "vulkan/device/device.h"
#include "vulkan/queue/records.h"
#include "vulkan/rules/needs.h"

namespace halyard::vulkan_sim {
namespace {

bool Needed(const std::vector<VkSemaphoreSubmitInfo>& points, const Handle& object) {
  return std::ranges::any_of(points, [&](const auto& point) { return Handle(point.semaphore) == object; });
}

bool Needed(const Submission& submission, const Handle& object) {
  return Needed(submission.waits, object) || Needed(submission.signals, object) ||
         std::ranges::any_of(submission.commands, [&](const VkCommandBufferSubmitInfo& commands) {
           return Needs::The().Reaches(Handle(commands.commandBuffer), object);
         });
}

bool Needed(const Batch& batch, const Handle& object) {
  return object.kind == kKind<VkDevice> || Handle(batch.fence) == object ||
         std::ranges::any_of(batch.submissions, [&](const auto& submission) { return Needed(submission, object); });
}

}  // namespace

void ReportIfInUse(const char* call, VkDevice device, const Handle& object) {
  const auto known = FindDevice(device);
  if (known == nullptr) return;
  const std::lock_guard lock(known->mutex);
  known->DropCompleted();
  if (std::ranges::none_of(known->pending, [&](const Pending& work) { return Needed(work.batch, object); })) return;
  Report("destroy-in-use", std::string(call) + " with " + Text(object) + ", which submitted work needs");
}

}  // namespace halyard::vulkan_sim
