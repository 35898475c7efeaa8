// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Vulkan device as recordings see it.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_DEVICE_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_DEVICE_H_

#include <memory>
#include <utility>

#include "submission/submission_device.h"
#include "vulkan/memory/vulkan_memory.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_options.h"
#include "vulkan/native/vulkan_traits.h"
#include "vulkan/recording/vulkan_builtins.h"
#include "vulkan/recording/vulkan_recording.h"

namespace halyard::vulkan {

/// The parts of the floors up to this one.
class VulkanRecordingDevice : public SubmissionDevice {
 public:
  VulkanContext& context() { return context_; }
  const VulkanTraits& traits() const { return traits_; }
  const VulkanOptions& options() const { return options_; }
  VulkanMemory& memory() { return memory_; }
  VulkanBuiltins& builtins() { return builtins_; }
  RecordingPool& recordings() { return recordings_; }
  const hal_device_limits_t& limits() const { return limits_; }

 protected:
  VulkanRecordingDevice(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
                        VkPhysicalDevice physical, const VulkanTraits& traits, const VulkanOptions& options)
      : SubmissionDevice(tables, g_vulkan_gate, Joins::kOwnQueues),
        traits_(traits),
        options_(options),
        context_(std::move(instance), physical, traits_),
        memory_(*this, context_, options_),
        builtins_(context_),
        recordings_(context_, memory_) {}
  ~VulkanRecordingDevice() = default;

 private:
  const VulkanTraits traits_;
  const VulkanOptions options_;
  VulkanContext context_;
  VulkanMemory memory_;
  VulkanBuiltins builtins_;
  RecordingPool recordings_;
};

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_RECORDING_DEVICE_H_
