// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_

#include <array>
#include <memory>

#include "base/status.h"
#include "driver_kit/executable/image_kind.h"
#include "halyard/driver_api.h"
#include "vulkan/device/vulkan_timeline_watch.h"
#include "vulkan/memory/vulkan_allocator.h"
#include "vulkan/queue/vulkan_queue_device.h"

namespace halyard::vulkan {

/// The format of executables that Vulkan takes.
inline constexpr std::string_view kSpirvFormat = "spirv";

/// Its parts go in the reverse of their order here, by the destructor, which may run on any thread: that of a caller, a
/// completion thread or a worker.
/// What is known of a device whether or not it is open.
void DescribeVulkanDevice(const VulkanTraits& traits, hal_device_properties_t* properties, hal_device_limits_t* limits);

class VulkanDevice final : public VulkanQueueDevice {
 public:
  /// `wrapped` has no device if the driver is to open one.
  static Status Create(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
                       VkPhysicalDevice physical, const VulkanTraits& traits, uint32_t ordinal,
                       const VulkanOptions& options, const WrappedDevice& wrapped, hal_device_t** out_device);
  ~VulkanDevice();

  /// @name Entries of the vtable
  /// @{
  Status QueryFormat(hal_string_view_t format);
  Status RankImage(const ImageKind& image, uint32_t* out_rank);
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);
  /// @}

  TimelineWatches& watches() { return watches_; }

 private:
  VulkanDevice(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
               VkPhysicalDevice physical, const VulkanTraits& traits, uint32_t ordinal, const VulkanOptions& options);
  Status Open(const WrappedDevice& wrapped);
  void FillInfo();
  void AwaitThreads() noexcept;

  TimelineWatches watches_;
  VulkanAllocator allocator_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_
