// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_driver.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "halyard/vulkan_interop.h"
#include "submission/submission_semaphore.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/device/vulkan_wrapping.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/memory/vulkan_allocator.h"
#include "vulkan/memory/vulkan_buffer.h"
#include "vulkan/native/vulkan_options.h"
#include "vulkan/recording/vulkan_command_buffer.h"

namespace halyard::vulkan {
namespace {

// GPUs before what works on the host's processor. What cannot be used is named in the log. A call that fails is passed
// on: devices that are left out change the numbers of others.
Status ListEntries(const VulkanInstance& instance, HostVector<VulkanDriver::Entry>* out_entries) {
  HostVector<VkPhysicalDevice> devices;
  HAL_TRY(instance.ListPhysicalDevices(&devices));
  for (const VkPhysicalDevice device : devices) {
    VulkanDriver::Entry entry{device, {}};
    Failure failure(ReadTraits(instance, device, &entry.traits));
    if (!failure) {
      out_entries->push_back(std::move(entry));
    } else if (failure.code() != HAL_STATUS_UNAVAILABLE) {
      return failure.Take();
    } else {
      const HostString why = "the Vulkan device '" + entry.traits.name + "' is not used: ";
      LogLater(HAL_LOG_LEVEL_WARNING, HostString(why).append(failure.message()));
    }
  }
  std::stable_sort(out_entries->begin(), out_entries->end(),
                   [](const auto& a, const auto& b) { return RankOf(a.traits) < RankOf(b.traits); });
  return kOk;
}

}  // namespace

VulkanDriver::VulkanDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status VulkanDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  std::unique_ptr<VulkanDriver> driver(new VulkanDriver(completed));
  HAL_TRY(driver->FindDevices());
  *out_driver = driver.release();
  return kOk;
}

Status VulkanDriver::FindDevices() {
  const VulkanLibrary* library = nullptr;
  HAL_TRY(VulkanLibrary::Get(&library));
  HAL_TRY(VulkanInstance::Create(*library, Validation::kOff, &instance_));
  HAL_TRY(ListEntries(*instance_, &entries_));
  if (!entries_.empty()) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' finds no device of Vulkan 1.3", library->path().c_str());
}

Status VulkanDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  HostVector<hal_device_summary_t> summaries;
  for (const Entry& entry : entries_) {
    hal_device_summary_t summary = HAL_INIT(hal_device_summary_t);
    summary.id = ToC(entry.traits.uuid);
    summary.name = ToC(entry.traits.name);
    summaries.push_back(summary);
  }
  return WriteList<hal_device_summary_t>(summaries, count, devices);
}

Status VulkanDriver::Find(std::string_view id, size_t* out_index) const {
  HostVector<std::string_view> ids;
  for (const Entry& entry : entries_) ids.push_back(entry.traits.uuid);
  return FindDevice("vulkan", id, ids, out_index);
}

Status VulkanDriver::QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties,
                                 hal_device_limits_t* out_limits) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  DescribeVulkanDevice(entries_[index].traits, out_properties, out_limits);
  return kOk;
}

Status VulkanDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                  hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  const Entry& entry = entries_[index];
  Options options(pair_count, pairs);
  VulkanOptions chosen;
  HAL_TRY(ReadOptions(options, entry.traits, &chosen));
  HAL_TRY(options.Finish("vulkan://" + entry.traits.uuid));
  const auto ordinal = static_cast<uint32_t>(index);
  if (chosen.validation == Validation::kOff) {
    return VulkanDevice::Create(*tables, instance_, entry.device, entry.traits, ordinal, chosen, {}, out_device);
  }
  const VulkanLibrary* library = nullptr;
  HAL_TRY(VulkanLibrary::Get(&library));
  std::shared_ptr<const VulkanInstance> checked;
  HAL_TRY(VulkanInstance::Create(*library, chosen.validation, &checked));
  HostVector<Entry> same;
  HAL_TRY(ListEntries(*checked, &same));
  for (const Entry& other : same) {
    if (other.traits.uuid != entry.traits.uuid) continue;
    return VulkanDevice::Create(*tables, checked, other.device, other.traits, ordinal, chosen, {}, out_device);
  }
  return Fail(HAL_STATUS_UNAVAILABLE, "vulkan://%s is gone", entry.traits.uuid.c_str());
}

uint32_t VulkanDriver::OrdinalOf(const VulkanTraits& traits) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.traits.uuid == traits.uuid; });
  return found == entries_.end() ? 0 : static_cast<uint32_t>(found - entries_.begin());
}

Status VulkanDriver::WrapDevice(hal_string_view_t name, const void* native, size_t pair_count,
                                const hal_key_value_t* pairs, hal_device_release_fn_t release, void* user_data,
                                hal_device_t** out_device) {
  if (View(name) != HAL_VULKAN_INTEROP_INTERFACE) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the Vulkan driver wraps devices of '%s', not of '%.*s'",
                HAL_VULKAN_INTEROP_INTERFACE, HALYARD_SV(View(name)));
  }
  const auto* const given = static_cast<const hal_vulkan_device_t*>(native);
  std::shared_ptr<const VulkanInstance> instance;
  VulkanTraits traits;
  HAL_TRY(ReadGivenDevice(given, &instance, &traits));
  Options options(pair_count, pairs);
  VulkanOptions chosen;
  HAL_TRY(ReadOptions(options, traits, &chosen));
  HAL_TRY(options.Finish("the wrapped device"));
  if (chosen.validation != Validation::kOff) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "validation: the layers of a wrapped device are its application's");
  }
  const WrappedDevice wrapped{static_cast<VkDevice>(given->device), given->queues, release, user_data};
  return VulkanDevice::Create(*tables, instance, static_cast<VkPhysicalDevice>(given->physical_device), traits,
                              OrdinalOf(traits), chosen, wrapped, out_device);
}

namespace {

using VulkanClasses = DriverClasses<VulkanDriver, VulkanDevice, VulkanAllocator, VulkanBuffer, SubmissionSemaphore,
                                    VulkanCommandBuffer, VulkanExecutable>;

}  // namespace
}  // namespace halyard::vulkan

extern "C" const hal_driver_interface_t* hal_vulkan_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::vulkan::VulkanClasses> driver_interface(
      "vulkan", "devices of Vulkan 1.3: vulkan://<ordinal or UUID>");
  return driver_interface.get();
}
