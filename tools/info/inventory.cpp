// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inventory.h"

#include <array>

#include "support/devices.h"
#include "support/handles.h"

namespace halyard::tools {
namespace {

// The API answers for an extension that is named; it has no list of them.
constexpr std::array kExtensions = {"halyard.cuda.interop",   "halyard.hip.interop",        "halyard.metal.interop",
                                    "halyard.vulkan.interop", "halyard.executable_targets", "halyard.fault_injection"};

std::vector<std::string> ExtensionsOf(hal_device_t* device) {
  std::vector<std::string> extensions;
  for (const char* name : kExtensions) {
    const void* table = nullptr;
    if (hal_device_query_interface(device, hal_string_view(name), 1, &table) == HAL_STATUS_OK) {
      extensions.emplace_back(name);
    }
  }
  return extensions;
}

DeviceFacts FactsOf(hal_device_t* device) {
  const hal_device_info_t* info = hal_device_info(device);
  DeviceFacts facts;
  facts.queue_count = info->queue_count;
  facts.limits = *info->limits;
  hal_allocator_t* const allocator = hal_device_allocator(device);
  facts.heaps = ReadList<hal_memory_heap_t>(
      "list the memory heaps", HAL_MEMORY_HEAP_INIT,
      [&](size_t* count, hal_memory_heap_t* heaps) { return hal_allocator_query_heaps(allocator, count, heaps); });
  facts.formats = FormatsOf(device);
  facts.extensions = ExtensionsOf(device);
  return facts;
}

DeviceEntry EntryOf(hal_device_t* device, const std::string& uri) {
  const hal_device_info_t* info = hal_device_info(device);
  DeviceEntry entry;
  entry.uri = uri;
  entry.id = Text(info->id);
  entry.name = Text(info->name);
  entry.ordinal = info->ordinal;
  entry.facts = FactsOf(device);
  return entry;
}

DeviceEntry Inspect(const std::string& driver, const hal_device_summary_t& summary, uint32_t ordinal) {
  const std::string id = Text(summary.id);
  const std::string uri = driver + "://" + id;
  hal_device_t* opened = nullptr;
  const hal_status_t status = hal_device_create(View(uri), &opened);
  const Device device(opened);
  if (status == HAL_STATUS_OK) return EntryOf(device.get(), uri);
  DeviceEntry entry;
  entry.uri = uri;
  entry.id = id;
  entry.name = Text(summary.name);
  entry.ordinal = ordinal;
  entry.reason = {status, LastError()};
  return entry;
}

// The devices of a driver that could be opened.
void ListDevices(hal_driver_t* driver, DriverEntry* entry) {
  const auto summaries = ReadList<hal_device_summary_t>(
      "list the devices of " + entry->name, HAL_DEVICE_SUMMARY_INIT,
      [&](size_t* count, hal_device_summary_t* items) { return hal_driver_list_devices(driver, count, items); });
  for (const hal_device_summary_t& summary : summaries) {
    entry->devices.push_back(Inspect(entry->name, summary, static_cast<uint32_t>(entry->devices.size())));
  }
}

DriverEntry Inspect(const hal_driver_info_t& info) {
  DriverEntry entry;
  entry.name = Text(info.name);
  entry.description = Text(info.description);
  entry.is_plugin = info.is_plugin;
  hal_driver_t* opened = nullptr;
  const hal_status_t status = hal_registry_open_driver(hal_registry_default(), info.name, &opened);
  const Driver driver(opened);
  entry.available = status == HAL_STATUS_OK;
  if (entry.available) {
    ListDevices(driver.get(), &entry);
  } else {
    entry.reason = {status, LastError()};
  }
  return entry;
}

}  // namespace

std::vector<DriverEntry> TakeInventory() {
  const auto infos = ReadList<hal_driver_info_t>(
      "list the drivers", HAL_DRIVER_INFO_INIT, [](size_t* count, hal_driver_info_t* drivers) {
        return hal_registry_list_drivers(hal_registry_default(), count, drivers);
      });
  std::vector<DriverEntry> entries;
  entries.reserve(infos.size());
  for (const hal_driver_info_t& info : infos) entries.push_back(Inspect(info));
  return entries;
}

DeviceEntry InspectDevice(const std::string& uri) {
  const Device device = OpenDevice({uri, {}});
  return EntryOf(device.get(), uri);
}

}  // namespace halyard::tools
