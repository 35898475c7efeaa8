// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way of submitted work to the real queues.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"

namespace halyard::vulkan_sim {

// The waits for more than some values of timelines and what the batch signals before.
std::vector<VkSemaphoreSubmitInfo> Device::UnmetWaits(const Batch& batch, uint64_t Timeline::*value) const {
  std::vector<VkSemaphoreSubmitInfo> unmet;
  std::map<VkSemaphore, uint64_t> signals;
  for (const Submission& submission : batch.submissions) {
    for (const VkSemaphoreSubmitInfo& wait : submission.waits) {
      const auto timeline = timelines.find(wait.semaphore);
      if (timeline == timelines.end() || timeline->second.is_external) continue;
      if (wait.value > std::max(timeline->second.*value, signals[wait.semaphore])) unmet.push_back(wait);
    }
    for (const VkSemaphoreSubmitInfo& signal : submission.signals) {
      signals[signal.semaphore] = std::max(signals[signal.semaphore], signal.value);
    }
  }
  return unmet;
}

void Device::Raise(const Batch& batch, uint64_t Timeline::*value) {
  for (const Submission& submission : batch.submissions) {
    for (const VkSemaphoreSubmitInfo& signal : submission.signals) {
      const auto timeline = timelines.find(signal.semaphore);
      if (timeline == timelines.end()) continue;
      timeline->second.*value = std::max(timeline->second.*value, signal.value);
    }
  }
}

// Every wait is for a value that something before it signals; every signal raises its timeline.
void Device::CheckValues(const char* call, const Batch& batch) const {
  for (const VkSemaphoreSubmitInfo& wait : UnmetWaits(batch, &Timeline::announced)) {
    Report("wait-before-signal", std::string(call) + " waits for " + std::to_string(wait.value) + " of " +
                                     Text(Handle(wait.semaphore)) + ", of which the highest submitted value is " +
                                     std::to_string(timelines.at(wait.semaphore).announced));
  }
  for (const Submission& submission : batch.submissions) {
    for (const VkSemaphoreSubmitInfo& signal : submission.signals) {
      const auto timeline = timelines.find(signal.semaphore);
      if (timeline == timelines.end() || signal.value > timeline->second.announced) continue;
      Report("signal-value", std::string(call) + " signals " + std::to_string(signal.value) + " of " +
                                 Text(Handle(signal.semaphore)) + " after " +
                                 std::to_string(timeline->second.announced));
    }
  }
}

VkResult Device::Forward(Pending& work) {
  work.is_held = false;
  const std::vector<VkSubmitInfo2> infos = work.batch.Infos();
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard lock(work.queue->real->mutex);
    result = real::QueueSubmit2(work.queue->real->handle, static_cast<uint32_t>(infos.size()), infos.data(),
                                work.batch.fence);
  }
  if (result == VK_SUCCESS) Raise(work.batch, &Timeline::forwarded);
  return result;
}

void Device::ForwardHeld() {
  bool goes_on = true;
  while (std::exchange(goes_on, false)) {
    for (const auto& [place, queue] : queues) {
      while (!queue->held.empty() && UnmetWaits(queue->held.front()->batch, &Timeline::forwarded).empty()) {
        Pending& work = *queue->held.front();
        queue->held.pop_front();
        if (Forward(work) != VK_SUCCESS) Report("late-failure", "the real queue refuses work that was held");
        goes_on = true;
      }
    }
  }
  changed.notify_all();
}

VkResult Device::Submit(const char* call, Queue& queue, Batch batch) {
  if (!batch.MayBeSubmitted(call)) return VK_ERROR_UNKNOWN;
  // Keeps the list short, at a cost that does not grow with it.
  while (!pending.empty() && HasEnded(pending.begin())) pending.pop_front();
  if (loss.SubmissionTells()) {
    pending.clear();
    return VK_ERROR_DEVICE_LOST;
  }
  CheckValues(call, batch);
  Pending& work = pending.emplace_back(Pending{&queue, std::move(batch)});
  VkResult result = VK_SUCCESS;
  if (!loss.IsLost()) {
    work.is_held = !queue.held.empty() || !UnmetWaits(work.batch, &Timeline::forwarded).empty();
    if (work.is_held) {
      queue.held.push_back(&work);
    } else {
      result = Forward(work);
    }
  }
  if (result != VK_SUCCESS) {
    pending.pop_back();
    return result;
  }
  Raise(work.batch, &Timeline::announced);
  ForwardHeld();
  return result;
}

VkResult Device::TellIdle(std::unique_lock<std::mutex>& lock) {
  changed.wait(lock, [&] { return !loss.is_stopping; });
  loss.found = true;
  pending.clear();
  return VK_ERROR_DEVICE_LOST;
}

VkResult Device::AwaitIdle(Queue& queue) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.held.empty() || loss.IsLost(); });
  if (loss.IsLost()) return TellIdle(lock);
  lock.unlock();
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard real_lock(queue.real->mutex);
    result = real::QueueWaitIdle(queue.real->handle);
  }
  lock.lock();
  if (loss.IsLost()) return TellIdle(lock);
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) {
    std::erase_if(pending, [&](const Pending& work) { return work.queue == &queue && !work.is_held; });
  }
  return result;
}

VkResult Device::AwaitRealIdle() {
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const auto& [place, queue] : real_queues) locks.emplace_back(queue->mutex);
  return real::DeviceWaitIdle(handle);
}

VkResult Device::AwaitIdle() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] {
    return loss.IsLost() || std::ranges::all_of(queues, [](const auto& entry) { return entry.second->held.empty(); });
  });
  if (loss.IsLost()) return TellIdle(lock);
  lock.unlock();
  const VkResult result = AwaitRealIdle();
  lock.lock();
  if (loss.IsLost()) return TellIdle(lock);
  if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) {
    std::erase_if(pending, [](const Pending& work) { return !work.is_held; });
  }
  return result;
}

// The last submission of a batch is done last, as its signals come after those of the others. What was destroyed too
// early says nothing.
bool Device::IsCompleted(const Batch& batch) {
  if (batch.fence != VK_NULL_HANDLE && IsSignalled(batch.fence)) return true;
  if (batch.submissions.empty()) return batch.fence == VK_NULL_HANDLE;
  return std::ranges::any_of(batch.submissions.back().signals, [&](const VkSemaphoreSubmitInfo& signal) {
    uint64_t value = 0;
    return timelines.contains(signal.semaphore) && Counter(signal.semaphore, &value) == VK_SUCCESS &&
           value >= signal.value;
  });
}

void Device::DropCompleted() {
  for (auto work = pending.begin(); work != pending.end();)
    work = HasEnded(work) ? pending.erase(work) : std::next(work);
}

// A signal comes after all that was submitted to the queue before. So what signals nothing ends with the next that
// does.
bool Device::HasEnded(std::list<Pending>::iterator work) {
  const auto teller = std::find_if(work, pending.end(), [&](const Pending& later) {
    return later.queue == work->queue && (later.batch.fence != VK_NULL_HANDLE || later.batch.Signals());
  });
  return teller != pending.end() && !teller->is_held && IsCompleted(teller->batch);
}

namespace own {
namespace {

template <typename Info>
VkResult SubmitInfos(const char* call, VkQueue handle, uint32_t count, const Info* infos, VkFence fence) {
  const auto [device, queue] = FindQueue(handle);
  if (queue == nullptr) {
    Report("invalid-handle", std::string(call) + " with " + Text(Handle(handle)) + ", which no device has");
    return VK_ERROR_UNKNOWN;
  }
  Batch batch;
  std::transform(infos, infos + count, std::back_inserter(batch.submissions),
                 [](const Info& info) { return Submission(info); });
  batch.fence = fence;
  if (const std::optional<LossKind> planned = PlannedLoss(device->physical->index)) device->Lose(*planned);
  const std::lock_guard lock(device->mutex);
  return device->Submit(call, *queue, std::move(batch));
}

}  // namespace

VkResult QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  return SubmitInfos(real::QueueSubmit.name, queue, count, infos, fence);
}

VkResult QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  return SubmitInfos(real::QueueSubmit2.name, queue, count, infos, fence);
}

VkResult QueueWaitIdle(VkQueue handle) {
  const auto [device, queue] = FindQueue(handle);
  return queue == nullptr ? VK_ERROR_UNKNOWN : device->AwaitIdle(*queue);
}

VkResult DeviceWaitIdle(VkDevice handle) { return FindDevice(handle)->AwaitIdle(); }

}  // namespace own
}  // namespace halyard::vulkan_sim
