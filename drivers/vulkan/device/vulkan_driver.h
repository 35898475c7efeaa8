// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan driver: which devices there are, and how one is opened.
#ifndef HALYARD_VULKAN_DEVICE_VULKAN_DRIVER_H_
#define HALYARD_VULKAN_DEVICE_VULKAN_DRIVER_H_

#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "vulkan/native/vulkan_instance.h"
#include "vulkan/native/vulkan_traits.h"

namespace halyard::vulkan {

/// Keeps one instance for its life, so that what is listed is what is opened. A device with layers has an instance of
/// its own.
class VulkanDriver final : public hal_driver_t, public HostObject {
 public:
  /// A physical device that can be used.
  struct Entry {
    VkPhysicalDevice device = VK_NULL_HANDLE;
    VulkanTraits traits;
  };

  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  Status QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);
  /// `id` is a UUID as ListDevices() gives it, or an ordinal.
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);
  /// `native` is a hal_vulkan_device_t.
  Status WrapDevice(hal_string_view_t name, const void* native, size_t pair_count, const hal_key_value_t* pairs,
                    hal_device_release_fn_t release, void* user_data, hal_device_t** out_device);

 private:
  explicit VulkanDriver(const hal_driver_interface_t& completed);
  Status FindDevices();
  Status Find(std::string_view id, size_t* out_index) const;
  /// The number of a device among those that are listed; 0 if it is none of them.
  uint32_t OrdinalOf(const VulkanTraits& traits) const;

  std::shared_ptr<const VulkanInstance> instance_;
  HostVector<Entry> entries_;  // by ordinal
};

}  // namespace halyard::vulkan

/// The driver's tables. As every driver's, for the registry.
extern "C" const hal_driver_interface_t* hal_vulkan_driver_interface(void);

#endif  // HALYARD_VULKAN_DEVICE_VULKAN_DRIVER_H_
