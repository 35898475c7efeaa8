// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device's clock as the host's.
#ifndef HALYARD_VULKAN_NATIVE_VULKAN_CLOCK_H_
#define HALYARD_VULKAN_NATIVE_VULKAN_CLOCK_H_

#include <cstdint>
#include <mutex>

#include "vulkan/native/vulkan_context.h"

namespace halyard::vulkan {

/// Relates the clocks again each second, as they drift apart. Without VK_EXT_calibrated_timestamps nothing can be told.
/// Thread-safe.
class VulkanClock {
 public:
  explicit VulkanClock(const VulkanContext& context) : context_(context) {}

  /// Finds out whether the device can relate its clock to the host's.
  void Open();
  /// Whether times can be told.
  bool works() const { return works_; }
  /// Nanoseconds of the host's clock; 0 if that cannot be told.
  uint64_t ToHost(uint64_t ticks);

 private:
  /// With mutex_.
  bool Relate();
  uint64_t Mask(uint64_t ticks) const;

  const VulkanContext& context_;
  bool works_ = false;
  std::mutex mutex_;   // protects what follows; a leaf
  uint64_t host_ = 0;  // nanoseconds; at the same moment as device_
  uint64_t device_ = 0;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_NATIVE_VULKAN_CLOCK_H_
