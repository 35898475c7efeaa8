// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores, fences and queries: what programs wait for and ask for.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "vulkan/device/device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/real.h"
#include "vulkan/rules/in_use.h"

namespace halyard::vulkan_sim {

VkResult Device::Counter(VkSemaphore semaphore, uint64_t* value) {
  const auto frozen = loss.counters.find(semaphore);
  if (frozen == loss.counters.end()) return real::GetSemaphoreCounterValue(handle, semaphore, value);
  *value = frozen->second;
  return VK_SUCCESS;
}

bool Device::IsSignalled(VkFence fence) {
  return !Objects::The().IsGone(Handle(fence)) && !loss.fences.contains(fence) &&
         real::GetFenceStatus(handle, fence) == VK_SUCCESS;
}

namespace own {
namespace {

constexpr uint64_t kLongestWait = 1'000'000'000;  // nanoseconds

void CheckTimeout(const char* call, uint64_t timeout) {
  if (timeout <= kLongestWait) return;
  Report("unbounded-wait", std::string(call) + " with a timeout of " + std::to_string(timeout) + " ns");
}

// A wait for a lost device: sooner back than it has to be, so that tests are fast.
VkResult WaitInVain(uint64_t timeout) {
  constexpr uint64_t kLongestSleep = 1'000'000;
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(timeout, kLongestSleep)));
  return VK_TIMEOUT;
}

// All of some conditions, or any.
template <typename Condition>
bool Holds(bool all, uint32_t count, Condition condition) {
  for (uint32_t i = 0; i < count; ++i) {
    if (condition(i) != all) return !all;
  }
  return all;
}

// The same for a wait that may meet a loss: `is_met` needs the lock, `wait` is the real call.
template <typename IsMet, typename Wait>
VkResult AwaitUnlessLost(Device& device, uint64_t timeout, IsMet is_met, Wait wait) {
  std::unique_lock lock(device.mutex);
  if (!device.loss.IsLost()) {
    lock.unlock();
    const VkResult result = wait();
    lock.lock();
    if (!device.loss.IsLost()) return result;
  }
  if (device.loss.WaitsTell()) return VK_ERROR_DEVICE_LOST;
  if (is_met()) return VK_SUCCESS;
  lock.unlock();
  return WaitInVain(timeout);
}

Timeline MakeTimeline(const VkSemaphoreTypeCreateInfo& type, bool is_external) {
  return {type.initialValue, type.initialValue, is_external};
}

void MakeExternal(VkDevice handle, VkSemaphore semaphore) {
  const auto device = FindDevice(handle);
  const std::lock_guard lock(device->mutex);
  const auto timeline = device->timelines.find(semaphore);
  if (timeline != device->timelines.end()) timeline->second.is_external = true;
}

}  // namespace

VkResult CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkSemaphore* semaphore) {
  const VkResult result = real::CreateSemaphore(handle, info, allocator, semaphore);
  if (result != VK_SUCCESS) return result;
  const VkSemaphoreTypeCreateInfo* type = nullptr;
  bool is_external = false;
  for (auto* at = static_cast<const VkBaseInStructure*>(info->pNext); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) is_external = true;
    if (at->sType != VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) continue;
    type = reinterpret_cast<const VkSemaphoreTypeCreateInfo*>(at);
  }
  if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) return result;
  const auto device = FindDevice(handle);
  const std::lock_guard lock(device->mutex);
  device->timelines[*semaphore] = MakeTimeline(*type, is_external);
  return result;
}

// A queue's thread of Mesa releases the waits of a batch after it has signalled the batch's end. So a program that
// has seen the end may destroy a semaphore that the thread still locks. The thread is awaited here, because the program
// cannot await it if vkDeviceWaitIdle is told to fail. Not with work in flight, which may take any time.
void DestroySemaphore(VkDevice handle, VkSemaphore semaphore, const VkAllocationCallbacks* allocator) {
  const auto device = FindDevice(handle);
  bool all_ended = false;
  {
    const std::lock_guard lock(device->mutex);
    device->DropCompleted();
    all_ended = device->pending.empty();
    device->timelines.erase(semaphore);
    device->loss.counters.erase(semaphore);
  }
  if (all_ended) device->AwaitRealIdle();
  real::DestroySemaphore(handle, semaphore, allocator);
}

VkResult ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR* info) {
  MakeExternal(device, info->semaphore);
  return real::ImportSemaphoreFdKHR(device, info);
}

VkResult GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR* info, int* file) {
  MakeExternal(device, info->semaphore);
  return real::GetSemaphoreFdKHR(device, info, file);
}

VkResult GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t* value) {
  const auto device = FindDevice(handle);
  const std::lock_guard lock(device->mutex);
  return device->loss.WaitsTell() ? VK_ERROR_DEVICE_LOST : device->Counter(semaphore, value);
}

VkResult WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  CheckTimeout(real::WaitSemaphores.name, timeout);
  const auto device = FindDevice(handle);
  const auto is_reached = [&](uint32_t i) {
    uint64_t value = 0;
    return device->Counter(info->pSemaphores[i], &value) == VK_SUCCESS && value >= info->pValues[i];
  };
  return AwaitUnlessLost(
      *device, timeout,
      [&] { return Holds((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) == 0, info->semaphoreCount, is_reached); },
      [&] { return real::WaitSemaphores(handle, info, timeout); });
}

VkResult SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo* info) {
  Report("host-signal",
         "vkSignalSemaphore signals " + std::to_string(info->value) + " of " + Text(Handle(info->semaphore)));
  const VkResult result = real::SignalSemaphore(handle, info);
  if (result != VK_SUCCESS) return result;
  const auto device = FindDevice(handle);
  const std::lock_guard lock(device->mutex);
  const auto timeline = device->timelines.find(info->semaphore);
  if (timeline == device->timelines.end()) return result;
  timeline->second.announced = std::max(timeline->second.announced, info->value);
  timeline->second.forwarded = std::max(timeline->second.forwarded, info->value);
  device->ForwardHeld();
  return result;
}

VkResult ResetFences(VkDevice handle, uint32_t count, const VkFence* fences) {
  const char* const call = real::ResetFences.name;
  for (uint32_t i = 0; i < count; ++i) {
    if (!MayUse(call, Handle(fences[i]))) return VK_ERROR_UNKNOWN;
    ReportIfInUse(call, handle, Handle(fences[i]));
  }
  return real::ResetFences(handle, count, fences);
}

VkResult GetFenceStatus(VkDevice handle, VkFence fence) {
  const auto device = FindDevice(handle);
  const std::lock_guard lock(device->mutex);
  if (device->loss.WaitsTell()) return VK_ERROR_DEVICE_LOST;
  return device->loss.fences.contains(fence) ? VK_NOT_READY : real::GetFenceStatus(handle, fence);
}

VkResult WaitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all, uint64_t timeout) {
  CheckTimeout(real::WaitForFences.name, timeout);
  const auto device = FindDevice(handle);
  return AwaitUnlessLost(
      *device, timeout,
      [&] { return Holds(all == VK_TRUE, count, [&](uint32_t i) { return device->IsSignalled(fences[i]); }); },
      [&] { return real::WaitForFences(handle, count, fences, all, timeout); });
}

VkResult GetQueryPoolResults(VkDevice handle, VkQueryPool pool, uint32_t first, uint32_t count, size_t size,
                             void* results, VkDeviceSize stride, VkQueryResultFlags flags) {
  const auto device = FindDevice(handle);
  {
    const std::lock_guard lock(device->mutex);
    if (device->loss.WaitsTell()) return VK_ERROR_DEVICE_LOST;
    // Results of lost work never come.
    if (device->loss.IsLost()) flags &= ~static_cast<VkQueryResultFlags>(VK_QUERY_RESULT_WAIT_BIT);
  }
  return real::GetQueryPoolResults(handle, pool, first, count, size, results, stride, flags);
}

}  // namespace own
}  // namespace halyard::vulkan_sim
