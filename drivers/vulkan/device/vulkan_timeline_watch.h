// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points that are signalled once a timeline of the application has reached a value.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_TIMELINE_WATCH_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_TIMELINE_WATCH_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/status.h"
#include "halyard/semaphore.h"
#include "submission/awaited_points.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

class VulkanDevice;

/// Each timeline that is waited for has a thread of its own, as long as anything waits for it. The thread sleeps until
/// the timeline moves, so that nothing has to wake it for a value that is asked for meanwhile. It keeps the device
/// alive until then, as the points keep their semaphores. Thread-safe.
class TimelineWatches {
 public:
  explicit TimelineWatches(VulkanDevice& device) : device_(device) {}
  /// May run on the thread of a watch, when that drops the last reference to the device.
  ~TimelineWatches() = default;
  TimelineWatches(const TimelineWatches&) = delete;
  TimelineWatches& operator=(const TimelineWatches&) = delete;

  Status Add(VkSemaphore semaphore, uint64_t value, hal_semaphore_list_t signals);

 private:
  struct State;
  struct Watch : HostObject {
    std::shared_ptr<State> state;
    LibraryThread thread;
  };
  using Watches = HostVector<std::unique_ptr<Watch>>;

  static void Loop(const std::shared_ptr<State>& state) noexcept;
  /// With mutex_: adds points to a watch that there is; NULL if there is none.
  std::shared_ptr<State> AddToWatch(VkSemaphore semaphore, AwaitedPoints::Imports& made);
  /// With mutex_: has a thread watch the timeline.
  Status StartWatch(VkSemaphore semaphore, AwaitedPoints::Imports& made, std::shared_ptr<State>* out);
  /// With mutex_: those whose threads have ended.
  Watches TakeEnded();

  VulkanDevice& device_;
  std::mutex mutex_;  // protects watches_; the states' mutexes are taken with it
  Watches watches_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_TIMELINE_WATCH_H_
