// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logical devices, their queues, and what was submitted to them.
#ifndef HALYARD_TESTS_SIM_VULKAN_DEVICE_H_
#define HALYARD_TESTS_SIM_VULKAN_DEVICE_H_

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "vulkan/device/physical_device.h"
#include "vulkan/queue/loss.h"
#include "vulkan/queue/submission.h"

namespace halyard::vulkan_sim {

struct RealQueue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;  // held in calls with the real queue; taken after the device's
};

struct Queue;

/// Submitted work that is not known to be done.
struct Pending {
  Queue* queue = nullptr;
  Batch batch;
  bool is_held = false;  // not forwarded yet
};

struct Queue {
  VkQueue handle = VK_NULL_HANDLE;  // what programs get: the real handle, except for pretended queues
  RealQueue* real = nullptr;
  std::deque<Pending*> held;  // wait for values that were not forwarded yet, or come after such work
};

/// A timeline as far as this library follows it.
struct Timeline {
  uint64_t announced = 0;    // the highest value that a submission signals
  uint64_t forwarded = 0;    // the same, of submissions that the real queue has
  bool is_external = false;  // shared with others, whose signals are unknown
};

/// Functions need the lock, except where they say that they take it.
struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  std::shared_ptr<const PhysicalDevice> physical;

  // By family and index; they stay as the device was made with them.
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<RealQueue>> real_queues;
  std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Queue>> queues;

  std::mutex mutex;                 // protects what follows, and the held work of queues
  std::condition_variable changed;  // work was forwarded, or the device was lost
  std::map<VkSemaphore, Timeline> timelines;
  std::list<Pending> pending;
  Loss loss;

  VkResult Submit(const char* call, Queue& queue, Batch batch);
  /// Takes the lock. Both wait until work can be forwarded that was submitted too early.
  VkResult AwaitIdle(Queue& queue);
  VkResult AwaitIdle();
  /// Without the lock. Waits for the threads of the real device's queues alone.
  VkResult AwaitRealIdle();
  /// Forwards held work as far as its values were forwarded.
  void ForwardHeld();
  bool HasEnded(std::list<Pending>::iterator work);
  void DropCompleted();
  /// What a timeline says, without telling of a loss.
  VkResult Counter(VkSemaphore semaphore, uint64_t* value);
  bool IsSignalled(VkFence fence);
  /// Takes the lock. What is pending never ends, as far as the program sees. Returns when real work is done, so that
  /// the program can destroy everything.
  void Lose(LossKind kind);

 private:
  void StopWork();
  std::vector<VkSemaphoreSubmitInfo> UnmetWaits(const Batch& batch, uint64_t Timeline::*value) const;
  void Raise(const Batch& batch, uint64_t Timeline::*value);
  void CheckValues(const char* call, const Batch& batch) const;
  VkResult Forward(Pending& work);
  bool IsCompleted(const Batch& batch);
  VkResult TellIdle(std::unique_lock<std::mutex>& lock);
};

std::shared_ptr<Device> FindDevice(VkDevice handle);
std::vector<std::shared_ptr<Device>> AllDevices();
/// A queue of any live device with that device; nulls if there is none.
std::pair<std::shared_ptr<Device>, Queue*> FindQueue(VkQueue handle);
VkQueue RealHandle(VkQueue handle);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_DEVICE_H_
