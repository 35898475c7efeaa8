// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/loss.h"

#include "vulkan/device.h"
#include "vulkan/records.h"
#include "vulkan/vulkan_control.h"

namespace halyard::vulkan_sim {
namespace {

LossKind KindOf(int how) {
  switch (how) {
    case HALYARD_SIM_LOSS_LATE:
      return LossKind::kLate;
    case HALYARD_SIM_LOSS_SILENT:
      return LossKind::kSilent;
    default:
      return LossKind::kTold;
  }
}

// What the program could see at this moment stays.
void Freeze(Device& device) {
  for (const auto& [semaphore, timeline] : device.timelines) {
    uint64_t value = 0;
    if (device.Counter(semaphore, &value) == VK_SUCCESS) device.loss.counters[semaphore] = value;
  }
  for (const Pending& work : device.pending) {
    const VkFence fence = work.batch.fence;
    if (fence != VK_NULL_HANDLE && !device.IsSignalled(fence)) device.loss.fences.insert(fence);
  }
}

void Lose(Device& device, LossKind kind) {
  {
    const std::lock_guard lock(device.mutex);
    device.DropCompleted();
    if (!device.loss.IsLost()) Freeze(device);
    device.loss.kind = kind;
    for (const auto& [place, queue] : device.queues) queue->held.clear();
    for (Pending& work : device.pending) work.is_held = false;
    if (kind == LossKind::kTold) device.pending.clear();
    device.changed.notify_all();
  }
  RunInside("halyardSimLoseVulkan");
  // The program may destroy everything from now on.
  device.AwaitRealIdle();
}

}  // namespace

bool Loss::SubmissionTells() {
  constexpr unsigned kTellingSubmission = 3;
  if (kind == LossKind::kLate && ++submissions == kTellingSubmission) found = true;
  return kind == LossKind::kTold || found;
}

}  // namespace halyard::vulkan_sim

uint64_t halyardSimLoseVulkan(int device, int how) {
  using namespace halyard::vulkan_sim;
  uint64_t lost = 0;
  for (const auto& each : AllDevices()) {
    if (each->physical->index != static_cast<uint32_t>(device)) continue;
    Lose(*each, KindOf(how));
    ++lost;
  }
  return lost;
}
