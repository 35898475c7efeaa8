// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device as queue operations see it.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_QUEUE_DEVICE_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_QUEUE_DEVICE_H_

#include <memory>
#include <utility>

#include "driver_kit/queue/action_pool.h"
#include "vulkan/native/vulkan_clock.h"
#include "vulkan/queue/vulkan_action.h"
#include "vulkan/queue/vulkan_file_io.h"
#include "vulkan/queue/vulkan_probe.h"
#include "vulkan/queue/vulkan_timelines.h"
#include "vulkan/recording/vulkan_recording_device.h"

namespace halyard::vulkan {

/// The parts of the floors up to this one.
class VulkanQueueDevice : public VulkanRecordingDevice {
 public:
  VulkanProbe& probe() { return probe_; }
  VulkanClock& clock() { return clock_; }
  VulkanFileIo& file_io() { return file_io_; }
  VulkanTimelines& timelines() { return timelines_; }
  ActionPool<VulkanAction>& actions() { return actions_; }

  Status TrimActions() override {
    recordings().Trim();
    return TrimPool(actions_);
  }

 protected:
  VulkanQueueDevice(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
                    VkPhysicalDevice physical, const VulkanTraits& traits, const VulkanOptions& options)
      : VulkanRecordingDevice(tables, std::move(instance), physical, traits, options),
        probe_(context(), options.timeout * kNanosecondsPerSecond),
        clock_(context()),
        file_io_(memory(), recordings(), probe_, health()),
        timelines_(context(), probe_, health()) {}
  ~VulkanQueueDevice() = default;

  void FailDeferred(const Failure& failure) noexcept override { actions_.FailDeferred(failure); }

 private:
  VulkanProbe probe_;
  VulkanClock clock_;
  VulkanFileIo file_io_;
  VulkanTimelines timelines_;
  ActionPool<VulkanAction> actions_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_QUEUE_DEVICE_H_
