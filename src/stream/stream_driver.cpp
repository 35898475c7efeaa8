// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_driver.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"

namespace halyard::stream {

HostString LowerCase(std::string_view text) {
  HostString lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

StreamDriver::StreamDriver(const hal_driver_interface_t& completed, const char* name) : hal_driver_t{}, name_(name) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
  tables = &completed;
}

Status StreamDriver::ListDevices(size_t* count, hal_device_summary_t* devices) {
  HostVector<hal_device_summary_t> summaries;
  for (const DeviceEntry& entry : entries_) {
    hal_device_summary_t summary = HAL_INIT(hal_device_summary_t);
    summary.id = ToC(entry.id);
    summary.name = ToC(entry.name);
    summaries.push_back(summary);
  }
  return WriteList<hal_device_summary_t>(summaries, count, devices);
}

Status StreamDriver::Find(std::string_view id, size_t* out_index) const {
  const HostString address = LowerCase(id);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const DeviceEntry& entry) { return entry.pci == address; });
  if (found != entries_.end()) {
    *out_index = static_cast<size_t>(found - entries_.begin());
    return kOk;
  }
  HostVector<std::string_view> ids;
  for (const DeviceEntry& entry : entries_) ids.push_back(entry.id);
  return FindDevice(name_, id, ids, out_index);
}

Status StreamDriver::QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties,
                                 hal_device_limits_t* out_limits) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  const std::lock_guard lock(mutex_);
  std::unique_ptr<NativeApi>& closed = entries_[index].closed;
  if (!closed) HAL_TRY(Describe(static_cast<int>(index), &closed));
  *out_properties = closed->properties();
  DescribeLimits(closed->traits(), out_limits);
  return kOk;
}

Status StreamDriver::CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                  hal_device_t** out_device) {
  size_t index = 0;
  HAL_TRY(Find(View(id), &index));
  const DeviceEntry& entry = entries_[index];
  std::unique_ptr<NativeApi> api;
  HAL_TRY(Open(static_cast<int>(index), &api));

  Options options(pair_count, pairs);
  StreamDeviceOptions device;
  HAL_TRY(ReadOptions(options, api->traits(), &device));
  HAL_TRY(options.Finish(HostString(name_) + "://" + entry.id));
  const StreamDeviceIdentity identity = {entry.id, entry.name, static_cast<uint32_t>(index)};
  return StreamDevice::Create(*tables, std::move(api), identity, device, out_device);
}

}  // namespace halyard::stream
