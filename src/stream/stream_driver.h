// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver of stream devices: which there are, and how one is opened.
#ifndef HALYARD_STREAM_STREAM_DRIVER_H_
#define HALYARD_STREAM_STREAM_DRIVER_H_

#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/driver_interface.h"
#include "halyard/driver_api.h"
#include "stream/device/stream_device.h"
#include "stream/memory/stream_allocator.h"
#include "stream/memory/stream_buffer.h"
#include "stream/recording/stream_command_buffer.h"
#include "stream/recording/stream_executable.h"
#include "submission/submission_semaphore.h"

namespace halyard::stream {

/// A device that a vendor's library has, whether or not it is open.
struct DeviceEntry {
  HostString id;    ///< as the vendor's tools write it
  HostString name;  ///< for people
  HostString pci;   ///< its address on the bus, in lower case
  /// What it is made of and what it can do, read without opening it; NULL until a caller asks.
  std::unique_ptr<NativeApi> closed;
};

/// The devices of a driver. What a vendor adds is how they are found and opened.
class StreamDriver : public hal_driver_t, public HostObject {
 public:
  virtual ~StreamDriver() = default;

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  Status QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);
  /// `id` is one that ListDevices() gives, a PCI address ("0000:1b:00.0") or an ordinal.
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);

 protected:
  /// @param name  of the driver, which outlives it
  StreamDriver(const hal_driver_interface_t& completed, const char* name);

  /// Opens the device with that ordinal.
  virtual Status Open(int ordinal, std::unique_ptr<NativeApi>* out_api) const = 0;
  /// Only reads traits and properties. No other call may be made.
  virtual Status Describe(int ordinal, std::unique_ptr<NativeApi>* out_api) const = 0;

  /// Reads the entries; a Vendor as for VendorApi.
  /// @param hidden  the variables of the vendor's that hide devices, for the message that there is none
  template <class Vendor, class Library, class FormatId>
  Status Enumerate(const Library& library, const char* hidden, const FormatId& format_id);

 private:
  Status Find(std::string_view id, size_t* out_index) const;

  const char* const name_;
  HostVector<DeviceEntry> entries_;  // by ordinal; `closed` of each with the mutex
  std::mutex mutex_;                 // native calls are made under it
};

HostString LowerCase(std::string_view text);

template <class Vendor, class Library, class FormatId>
Status StreamDriver::Enumerate(const Library& library, const char* hidden, const FormatId& format_id) {
  const auto call = [&library](const auto& function, auto... arguments) {
    return library.Check(function.name, CallVendor(library, function, arguments...));
  };
  int count = 0;
  HAL_TRY(call(Vendor::kDeviceCount, &count));
  if (count == 0) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' finds no device (%s may hide some)", library.path().c_str(), hidden);
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    char name[256] = {};
    char pci[64] = {};
    typename Vendor::Uuid uuid{};
    HAL_TRY(call(Vendor::kDeviceName, &name[0], int{sizeof(name)} - 1, ordinal));
    HAL_TRY(call(Vendor::kDevicePciAddress, &pci[0], int{sizeof(pci)} - 1, ordinal));
    HAL_TRY(call(Vendor::kDeviceUuid, &uuid, ordinal));
    entries_.push_back({format_id(uuid), name, LowerCase(pci), nullptr});
  }
  return kOk;
}

/// The classes of a stream driver, for driver_kit/device/driver_interface.h.
template <class NativeDriver>
using StreamClasses = DriverClasses<NativeDriver, StreamDevice, StreamAllocator, StreamBuffer, SubmissionSemaphore,
                                    StreamCommandBuffer, StreamExecutable>;

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_DRIVER_H_
