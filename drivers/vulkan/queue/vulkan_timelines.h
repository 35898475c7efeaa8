// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timelines that the application has of the driver, and timelines of the application that the driver sets.
#ifndef HALYARD_VULKAN_QUEUE_VULKAN_TIMELINES_H_
#define HALYARD_VULKAN_QUEUE_VULKAN_TIMELINES_H_

#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_timeline.h"
#include "vulkan/queue/vulkan_probe.h"

namespace halyard::vulkan {

/// Thread-safe.
class VulkanTimelines {
 public:
  VulkanTimelines(VulkanContext& context, VulkanProbe& probe, const DeviceHealth& health)
      : context_(context), probe_(probe), health_(health), settled_(context) {}
  /// Waits for what Settle() has submitted, which may come after work of the application. If the device does not end
  /// it, the device is abandoned.
  ~VulkanTimelines();
  VulkanTimelines(const VulkanTimelines&) = delete;
  VulkanTimelines& operator=(const VulkanTimelines&) = delete;

  /// @name halyard/vulkan_interop.h has the same functions
  /// @{
  Status Create(uint64_t initial_value, VkSemaphore* out_semaphore);
  Status Import(int32_t fd, VkSemaphore* out_semaphore);
  Status Export(VkSemaphore semaphore, int32_t* out_fd) const;
  Status Destroy(VkSemaphore semaphore);
  /// @}

  /// Sets a timeline for an operation that failed before it had work: by a submission without work. What fails goes to
  /// the log.
  void Settle(VkSemaphore semaphore, uint64_t value) noexcept;

 private:
  Status Make(uint64_t initial_value, bool exported, OwnedSemaphore* out) const;
  Status Keep(OwnedSemaphore semaphore, VkSemaphore* out_semaphore);
  Status SubmitSignal(VkSemaphore semaphore, uint64_t value);

  VulkanContext& context_;
  VulkanProbe& probe_;
  const DeviceHealth& health_;
  std::mutex mutex_;                    // protects what follows; held while a queue is called
  HostVector<OwnedSemaphore> created_;  // those of Create() and Import()
  VulkanTimeline settled_;              // counts submissions of Settle()
  uint64_t settled_count_ = 0;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_QUEUE_VULKAN_TIMELINES_H_
