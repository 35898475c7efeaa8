// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inventory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/program/devices.h"
#include "support/program/handles.h"

namespace halyard::tools {
namespace {

std::vector<std::string> TextsOf(const hal_string_list_t& list) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < list.count; ++i) texts.push_back(Text(list.names[i]));
  return texts;
}

/// Copies the texts of the properties, which are read.
void CopyTexts(DeviceFacts* facts) {
  const hal_device_properties_t& properties = facts->properties;
  facts->vendor = Text(properties.vendor);
  facts->driver_name = Text(properties.driver_name);
  facts->driver_version = Text(properties.driver_version);
  facts->architecture = Text(properties.architecture);
  facts->features = TextsOf(properties.features);
  facts->formats = TextsOf(properties.formats);
  for (size_t i = 0; i < properties.extensions.count; ++i) {
    const hal_device_extension_t& extension = properties.extensions.extensions[i];
    facts->extensions.push_back({Text(extension.name), extension.version});
  }
}

/// What a device says without being opened.
DeviceEntry Describe(hal_driver_t* driver, const std::string& name, const hal_device_summary_t& summary,
                     uint32_t ordinal) {
  DeviceEntry entry;
  entry.id = Text(summary.id);
  entry.uri = name + "://" + entry.id;
  entry.name = Text(summary.name);
  entry.ordinal = ordinal;
  DeviceFacts facts;
  facts.limits.struct_size = sizeof(facts.limits);
  const hal_status_t status = hal_driver_query_device(driver, summary.id, &facts.properties, &facts.limits);
  if (status != HAL_STATUS_OK) {
    entry.reason = {status, LastError()};
    return entry;
  }
  CopyTexts(&facts);
  entry.facts = std::move(facts);
  return entry;
}

DeviceFacts FactsOf(hal_device_t* device) {
  const hal_device_info_t* info = hal_device_info(device);
  DeviceFacts facts;
  facts.queue_count = info->queue_count;
  // A plugin may be older than this tool.
  std::memcpy(&facts.limits, info->limits, std::min(info->limits->struct_size, sizeof(facts.limits)));
  hal_allocator_t* const allocator = hal_device_allocator(device);
  facts.heaps = ReadList<hal_memory_heap_t>(
      "list the memory heaps", HAL_INIT(hal_memory_heap_t),
      [&](size_t* count, hal_memory_heap_t* heaps) { return hal_allocator_query_heaps(allocator, count, heaps); });
  Check(hal_device_query_properties(device, &facts.properties), ExitCode::kDevice, "ask the device what it is");
  CopyTexts(&facts);
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

/// Leaves the device open in `*out_device` if it could be opened.
DeviceEntry Inspect(const std::string& driver, const hal_device_summary_t& summary, uint32_t ordinal,
                    Device* out_device) {
  const std::string id = Text(summary.id);
  const std::string uri = driver + "://" + id;
  hal_device_t* opened = nullptr;
  const hal_status_t status = hal_device_create(View(uri), &opened);
  *out_device = Device(opened);
  if (status == HAL_STATUS_OK) return EntryOf(opened, uri);
  DeviceEntry entry;
  entry.uri = uri;
  entry.id = id;
  entry.name = Text(summary.name);
  entry.ordinal = ordinal;
  entry.reason = {status, LastError()};
  return entry;
}

/// All drivers and devices. Devices stay open until the connections between them are known.
class Inventory {
 public:
  explicit Inventory(Look look) : look_(look) {}

  void Add(const hal_driver_info_t& info) {
    DriverEntry entry;
    entry.name = Text(info.name);
    entry.description = Text(info.description);
    entry.is_plugin = info.is_plugin;
    hal_driver_t* opened = nullptr;
    const hal_status_t status = hal_registry_open_driver(hal_registry_default(), info.name, &opened);
    const Driver driver(opened);
    entry.available = status == HAL_STATUS_OK;
    if (entry.available) {
      AddDevices(driver.get(), &entry);
    } else {
      entry.reason = {status, LastError()};
    }
    entries_.push_back(std::move(entry));
  }

  Topology FindTopology() const {
    Topology topology;
    for (size_t i = 0; i < opened_.size(); ++i) {
      if (!opened_[i]) continue;
      topology.uris.push_back(uris_[i]);
      std::vector<hal_peer_properties_t>& row = topology.matrix.emplace_back();
      for (size_t j = 0; j < opened_.size(); ++j) {
        if (opened_[j]) row.push_back(Connection(i, j));
      }
    }
    return topology;
  }

  std::vector<DriverEntry> Finish() {
    size_t index = 0;
    for (DriverEntry& driver : entries_) {
      for (DeviceEntry& device : driver.devices) {
        if (device.facts) device.facts->peers = PeersOf(index);
        ++index;
      }
    }
    return std::move(entries_);
  }

 private:
  void AddDevices(hal_driver_t* driver, DriverEntry* entry) {
    const auto summaries = ReadList<hal_device_summary_t>(
        "list the devices of " + entry->name, HAL_INIT(hal_device_summary_t),
        [&](size_t* count, hal_device_summary_t* items) { return hal_driver_list_devices(driver, count, items); });
    for (const hal_device_summary_t& summary : summaries) {
      Device device;
      const auto ordinal = static_cast<uint32_t>(entry->devices.size());
      entry->devices.push_back(look_ == Look::kClosed ? Describe(driver, entry->name, summary, ordinal)
                                                      : Inspect(entry->name, summary, ordinal, &device));
      opened_.push_back(std::move(device));
      uris_.push_back(entry->devices.back().uri);
    }
  }

  hal_peer_properties_t Connection(size_t from, size_t to) const {
    hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
    Check(hal_device_query_peer(opened_[from].get(), opened_[to].get(), &properties), ExitCode::kDevice,
          "ask for the connection to " + uris_[to]);
    return properties;
  }

  std::vector<Peer> PeersOf(size_t index) const {
    std::vector<Peer> peers;
    for (size_t i = 0; i < opened_.size(); ++i) {
      if (i == index || !opened_[i]) continue;
      const Peer peer = {uris_[i], Connection(index, i)};
      if (peer.properties.relation != HAL_PEER_RELATION_NONE) peers.push_back(peer);
    }
    return peers;
  }

  const Look look_;
  std::vector<DriverEntry> entries_;
  std::vector<Device> opened_;     // in the order of the entries; empty where a device could not be opened
  std::vector<std::string> uris_;  // by the same index
};

Inventory AskAll(Look look) {
  const auto infos = ReadList<hal_driver_info_t>(
      "list the drivers", HAL_INIT(hal_driver_info_t), [](size_t* count, hal_driver_info_t* drivers) {
        return hal_registry_list_drivers(hal_registry_default(), count, drivers);
      });
  Inventory inventory(look);
  for (const hal_driver_info_t& info : infos) inventory.Add(info);
  return inventory;
}

}  // namespace

std::vector<DriverEntry> TakeInventory(Look look) { return AskAll(look).Finish(); }

Topology TakeTopology() { return AskAll(Look::kOpen).FindTopology(); }

DeviceEntry InspectDevice(const std::string& uri) {
  const Device device = OpenDevice({uri, {}});
  return EntryOf(device.get(), uri);
}

}  // namespace halyard::tools
