// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for timelines that end even if the device is lost without a word.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_PROBE_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_PROBE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/library_thread.h"
#include "base/status.h"
#include "driver_kit/device/device_health.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_timeline.h"

namespace halyard::vulkan {

/// How far a wait has come.
struct Progress {
  uint64_t value = 0;  ///< of the timeline
  uint64_t since = 0;  ///< nanoseconds of the host's clock; 0 before the first look
  uint64_t last = 0;   ///< the same; when it was looked at last
  uint64_t moves = 0;  ///< of the device's timelines, as far as they were seen by then
  uint64_t stood = 0;  ///< nanoseconds that the process ran and none of them moved
};

/// Some drivers accept submissions to a lost device, and let each wait end by its limit. So a wait that makes no
/// progress for half a second looks after the device: it submits nothing to the spare queue, which takes no other work,
/// with a timeline to signal. A healthy device signals at once, whatever else it works on. If it has not by the next
/// look, half a second later, a thread waits for the spare queue to be idle, which tells. The probe gives that thread
/// some 100 ms, and asks for its answer again by the next look, as the call may take any time.
///
/// Without a spare queue an empty submission to the first queue takes its place.
///
/// After a fault some drivers never tell: the faulting queue stands still like one with an endless kernel, and the
/// others go on. So a device whose timelines all stand still for too long counts as lost, and is abandoned.
/// Thread-safe.
class VulkanProbe {
 public:
  /// @param timeout  nanoseconds that all timelines may stand still; 0 for any time
  VulkanProbe(VulkanContext& context, uint64_t timeout) : context_(context), timeout_(timeout), timeline_(context) {}
  ~VulkanProbe();
  VulkanProbe(const VulkanProbe&) = delete;
  VulkanProbe& operator=(const VulkanProbe&) = delete;

  /// Sleeps until `timeline` has the value, or some 100 ms have passed, and reads it. Calls that fail are made again in
  /// the next slice; DEVICE_LOST is the only failure.
  Status AwaitSlice(const VulkanTimeline& timeline, uint64_t value, Progress* progress);
  /// Sleeps until `timeline` has the last value that was submitted. If the device is lost and does not end the work, it
  /// is abandoned some seconds later. DEVICE_LOST is the only failure.
  Status AwaitLast(const VulkanTimeline& timeline, uint64_t last, const DeviceHealth& health);
  /// The timeline has `value`: looks after the device if it has had that for long. DEVICE_LOST is the only failure.
  Status Watch(uint64_t value, Progress* progress);
  /// Work has ended; any thread may have found that out.
  void NoteMove() noexcept { moves_.fetch_add(1, std::memory_order_relaxed); }
  /// No thread of the probe calls Vulkan any more, once all work has ended. If the spare queue does not become idle all
  /// the same, the device is abandoned, and the thread is left alone.
  void EndIdleWait() noexcept;

 private:
  /// What a thread learns of the spare queue.
  struct IdleWait;

  /// DEVICE_LOST if the device has stood still for too long.
  Status CheckTimeout(uint64_t now, Progress* progress);
  Status FailTimeout() const;
  Status Look(uint64_t now);
  Status LookBySpareQueue();
  Status StartIdleWait();
  Status AskIdleWait();

  VulkanContext& context_;
  const uint64_t timeout_;
  std::atomic<uint64_t> moves_{0};  // how often a timeline was seen to have moved
  std::mutex mutex_;                // protects what follows; held while the spare queue is looked at
  uint64_t last_look_ = 0;          // nanoseconds
  VulkanTimeline timeline_;
  uint64_t submitted_ = 0;               // the last value that the spare queue is to signal
  std::shared_ptr<IdleWait> idle_wait_;  // while a thread waits for the spare queue, which no other uses then
  LibraryThread idle_thread_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_PROBE_H_
