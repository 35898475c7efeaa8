// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/loss.h"

#include <mutex>

#include "control.h"
#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/rules/everlasting.h"
#include "vulkan/vulkan_control.h"

namespace halyard::vulkan_sim {
namespace {

LossKind KindOf(int how) {
  switch (how) {
    case HALYARD_SIM_LOSS_LATE:
      return LossKind::kLate;
    case HALYARD_SIM_LOSS_SILENT:
      return LossKind::kSilent;
    case HALYARD_SIM_LOSS_WILD:
      return LossKind::kWild;
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

struct LossPlan {
  uint64_t submissions = 0;  // until the device is lost
  LossKind kind = LossKind::kNone;
};

struct LossPlans {
  std::mutex mutex;  // protects what follows; innermost
  std::map<uint32_t, LossPlan> by_device;
};

LossPlans& ThePlans() { return Everlasting<LossPlans>(); }

}  // namespace

void Device::StopWork() {
  const std::lock_guard lock(mutex);
  DropCompleted();
  if (!loss.IsLost()) {
    Freeze(*this);
    loss.kind = LossKind::kSilent;
  }
  loss.is_stopping = true;
  for (const auto& [place, queue] : queues) queue->held.clear();
  for (Pending& work : pending) work.is_held = false;
  changed.notify_all();
}

// No thread hears of the loss before real work has ended: programs destroy everything then.
void Device::Lose(LossKind kind) {
  StopWork();
  RunInside("halyardSimLoseVulkan");
  AwaitRealIdle();
  const std::lock_guard lock(mutex);
  loss.kind = kind;
  loss.is_stopping = false;
  if (kind == LossKind::kTold) pending.clear();
  if (kind == LossKind::kWild) {
    for (auto& [semaphore, value] : loss.counters) value = UINT64_MAX;
  }
  changed.notify_all();
}

void LoseAfterCall(VkDevice handle) {
  const auto device = FindDevice(handle);
  if (device != nullptr) device->Lose(LossKind::kTold);
}

void LoseAfterCall(VkQueue handle) {
  const auto device = FindQueue(handle).first;
  if (device != nullptr) device->Lose(LossKind::kTold);
}

void LoseAfterCall(VkCommandBuffer commands) {
  const Handle pool = Objects::The().ParentOf(Handle(commands));
  LoseAfterCall(reinterpret_cast<VkDevice>(Objects::The().ParentOf(pool).value));
}

std::optional<LossKind> PlannedLoss(uint32_t device) {
  const std::lock_guard lock(ThePlans().mutex);
  const auto plan = ThePlans().by_device.find(device);
  if (plan == ThePlans().by_device.end() || --plan->second.submissions != 0) return std::nullopt;
  const LossKind kind = plan->second.kind;
  ThePlans().by_device.erase(plan);
  return kind;
}

void ForgetPlannedLosses() {
  const std::lock_guard lock(ThePlans().mutex);
  ThePlans().by_device.clear();
}

bool Loss::SubmissionTells() {
  constexpr unsigned kTellingSubmission = 3;
  if (kind == LossKind::kLate && ++submissions == kTellingSubmission) found = true;
  return kind == LossKind::kTold || found;
}

}  // namespace halyard::vulkan_sim

using halyard::vulkan_sim::AllDevices;
using halyard::vulkan_sim::KindOf;
using halyard::vulkan_sim::ThePlans;

uint64_t halyardSimLoseVulkan(int device, int how) {
  uint64_t lost = 0;
  for (const auto& each : AllDevices()) {
    if (each->physical->index != static_cast<uint32_t>(device)) continue;
    each->Lose(KindOf(how));
    ++lost;
  }
  return lost;
}

__attribute__((visibility("default"))) void halyardSimLoseDevice(int device, uint64_t nth, int result) {
  const std::lock_guard lock(ThePlans().mutex);
  if (nth == 0) {
    ThePlans().by_device.erase(static_cast<uint32_t>(device));
  } else {
    ThePlans().by_device[static_cast<uint32_t>(device)] = {nth, KindOf(result)};
  }
}
