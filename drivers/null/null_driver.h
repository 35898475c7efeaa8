// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The null driver: a device that accepts everything and does no work.
//
// It is two things. The skeleton to copy: a whole driver, one file for each HAL object, in which every place that a
// real device needs is marked "Replace:"; start from a copy of this folder, put your name for `null`, and go from
// null_driver.cpp to null_action.cpp. And a ruler: what a program takes on `null://` is what the API itself costs,
// since semaphores, capture, validation and callbacks are the real ones.
//
// Memory is the host's, so mapping works; fills, copies, file transfers and dispatches leave it as it is. Host calls
// are called. Executables have the format "null", any image, and the exports that the caller lists.
#ifndef HALYARD_DRIVERS_NULL_NULL_DRIVER_H_
#define HALYARD_DRIVERS_NULL_NULL_DRIVER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard::null {

/// Finds devices and opens them.
/// Replace: a member that holds the vendor's library (base/dynamic_library.h) and the functions found in
/// it, which every object of the driver uses.
class NullDriver final : public hal_driver_t, public HostObject {
 public:
  /// Replace: load the vendor's library here; UNAVAILABLE with its name and the loader's message if it is not there.
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  Status QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);

 private:
  explicit NullDriver(const hal_driver_interface_t& completed);
};

}  // namespace halyard::null

/// The driver's tables. The build calls it for a driver of this name (see src/core/registry/builtin_drivers.cpp); a
/// plugin exports hal_plugin_entry() instead.
extern "C" const hal_driver_interface_t* hal_null_driver_interface(void);

#endif  // HALYARD_DRIVERS_NULL_NULL_DRIVER_H_
