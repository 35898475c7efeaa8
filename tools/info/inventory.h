// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine can do, as the library tells it.
#ifndef HALYARD_TOOLS_INFO_INVENTORY_H_
#define HALYARD_TOOLS_INFO_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halyard/halyard.h"

namespace halyard::tools {

/// Why something is not there.
struct Reason {
  hal_status_t status = HAL_STATUS_OK;
  std::string message;
};

/// An extension of a device.
struct Extension {
  std::string name;
  uint32_t version = 0;
};

/// What connects a device to another one.
struct Peer {
  std::string uri;  ///< of the other device
  hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
};

/// What a device is and can do. Texts are copies, as the device's own go with it.
struct DeviceFacts {
  uint32_t queue_count = 0;  ///< 0 of a device that is not open
  hal_device_limits_t limits = {};
  std::vector<hal_memory_heap_t> heaps;
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);  ///< the numbers; the texts are below
  std::string vendor;
  std::string driver_name;
  std::string driver_version;
  std::string architecture;
  std::vector<std::string> features;
  std::vector<std::string> formats;  ///< of executables
  std::vector<Extension> extensions;
  std::vector<Peer> peers;  ///< devices with which there is a connection
};

struct DeviceEntry {
  std::string uri;
  std::string id;
  std::string name;
  uint32_t ordinal = 0;
  std::optional<DeviceFacts> facts;  ///< absent if the device could not be opened
  Reason reason;                     ///< then, why
};

struct DriverEntry {
  std::string name;
  std::string description;
  bool is_plugin = false;
  bool available = false;
  Reason reason;  ///< if not available, why
  std::vector<DeviceEntry> devices;
};

/// Whether devices are opened, or only asked for what they say without that: no queues, heaps, extensions and peers.
enum class Look { kOpen, kClosed };

/// Asks every driver of the process' registry, and every device of every driver.
std::vector<DriverEntry> TakeInventory(Look look);

/// What connects each device to each, itself included.
struct Topology {
  std::vector<std::string> uris;                           ///< of the devices that could be opened
  std::vector<std::vector<hal_peer_properties_t>> matrix;  ///< [device][other], in the order of `uris`
};

/// Opens every device of every driver, and asks for each pair.
Topology TakeTopology();

/// Asks the device of a URI alone. Throws Failure (kDevice) if it cannot be opened.
DeviceEntry InspectDevice(const std::string& uri);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_INFO_INVENTORY_H_
