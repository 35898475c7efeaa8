// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_driver.h"

#include <memory>
#include <utility>

#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "metal/device/metal_device.h"
#include "metal/executable/metal_executable.h"
#include "metal/memory/metal_allocator.h"
#include "metal/memory/metal_buffer.h"
#include "metal/native/metal_options.h"
#include "metal/recording/metal_command_buffer.h"
#include "submission/submission_semaphore.h"

namespace halyard::metal {

MetalDriver::MetalDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status MetalDriver::Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
  const MetalLibrary* library = nullptr;
  HAL_TRY(MetalLibrary::Get(&library));
  std::unique_ptr<MetalDriver> driver(new MetalDriver(completed));
  HostVector<Owned<NativeDevice>> devices;
  HAL_TRY(library->CopyDevices(&devices));
  for (Owned<NativeDevice>& device : devices) {
    MetalTraits traits = ReadTraits(device.get());
    HostString id = DeviceId(traits);
    driver->entries_.push_back({std::move(device), std::move(traits), std::move(id)});
  }
  *out_driver = driver.release();
  return kOk;
}

Status MetalDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  HostVector<hal_device_summary_t> summaries;
  for (const Entry& entry : entries_) {
    hal_device_summary_t summary = HAL_INIT(hal_device_summary_t);
    summary.id = ToC(entry.id);
    summary.name = ToC(entry.traits.name);
    summaries.push_back(summary);
  }
  return WriteList<hal_device_summary_t>(summaries, count, devices);
}

Status MetalDriver::Find(std::string_view id, size_t* out_index) const {
  HostVector<std::string_view> ids;
  for (const Entry& entry : entries_) ids.push_back(entry.id);
  return FindDevice("metal", id, ids, out_index);
}

Status MetalDriver::QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties,
                                hal_device_limits_t* out_limits) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  DescribeMetalDevice(entries_[index].traits, out_properties, out_limits);
  return kOk;
}

Status MetalDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                 hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  const Entry& entry = entries_[index];
  Options options(pair_count, pairs);
  MetalOptions chosen;
  HAL_TRY(ReadOptions(options, entry.traits, &chosen));
  HAL_TRY(options.Finish("metal://" + entry.id));
  return MetalDevice::Create(*tables, entry.device.get(), entry.traits, static_cast<uint32_t>(index), chosen,
                             out_device);
}

namespace {

using MetalClasses = DriverClasses<MetalDriver, MetalDevice, MetalAllocator, MetalBuffer, SubmissionSemaphore,
                                   MetalCommandBuffer, MetalExecutable>;

}  // namespace
}  // namespace halyard::metal

extern "C" const hal_driver_interface_t* hal_metal_driver_interface(void) {
  static constinit const halyard::DriverInterface<halyard::metal::MetalClasses> driver_interface(
      "metal", "Apple GPUs and others of macOS, through Metal: metal://<ordinal or registry id>");
  return driver_interface.get();
}
