// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_

#include <array>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/image_kind.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "submission/submission_device.h"
#include "vulkan/device/vulkan_clock.h"
#include "vulkan/device/vulkan_options.h"
#include "vulkan/device/vulkan_timeline_watch.h"
#include "vulkan/device/vulkan_timelines.h"
#include "vulkan/device/vulkan_traits.h"
#include "vulkan/memory/vulkan_allocator.h"
#include "vulkan/memory/vulkan_memory.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/queue/vulkan_action.h"
#include "vulkan/queue/vulkan_file_io.h"
#include "vulkan/queue/vulkan_probe.h"
#include "vulkan/recording/vulkan_builtins.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

/// The format of executables that Vulkan takes.
inline constexpr std::string_view kSpirvFormat = "spirv";

/// Its parts go in the reverse of their order here, by the destructor, which may run on any thread: that of a caller, a
/// completion thread or a worker.
class VulkanDevice final : public SubmissionDevice {
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
  Status CreateEvent(hal_event_t** out_event);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);
  /// @}

  VulkanContext& context() { return context_; }
  const VulkanTraits& traits() const { return traits_; }
  const VulkanOptions& options() const { return options_; }
  VulkanMemory& memory() { return memory_; }
  VulkanProbe& probe() { return probe_; }
  VulkanClock& clock() { return clock_; }
  VulkanBuiltins& builtins() { return builtins_; }
  RecordingPool& recordings() { return recordings_; }
  const hal_device_limits_t& limits() const { return limits_; }
  VulkanFileIo& file_io() { return file_io_; }
  VulkanTimelines& timelines() { return timelines_; }
  TimelineWatches& watches() { return watches_; }
  ActionPool<VulkanAction>& actions() { return actions_; }

  Status TrimActions() override { return TrimPool(actions_); }

 protected:
  void FailDeferred(const Failure& failure) noexcept override { actions_.FailDeferred(failure); }

 private:
  VulkanDevice(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
               VkPhysicalDevice physical, const VulkanTraits& traits, uint32_t ordinal, const VulkanOptions& options);
  Status Open(const WrappedDevice& wrapped);
  void FillInfo();
  void AwaitThreads() noexcept;

  const VulkanTraits traits_;
  const VulkanOptions options_;
  std::array<hal_string_view_t, 1> formats_;
  VulkanContext context_;
  VulkanMemory memory_;
  VulkanProbe probe_;
  VulkanClock clock_;
  VulkanBuiltins builtins_;
  RecordingPool recordings_;
  VulkanFileIo file_io_;
  VulkanTimelines timelines_;
  TimelineWatches watches_;
  VulkanAllocator allocator_;
  ActionPool<VulkanAction> actions_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_DEVICE_H_
