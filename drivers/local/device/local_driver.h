// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local driver: the host's own cores. It needs nothing from a vendor and is always there.
#ifndef HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DRIVER_H_
#define HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DRIVER_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard::local {

class LocalDriver final : public hal_driver_t, public HostObject {
 public:
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver);

  Status ListDevices(size_t* count, hal_device_summary_t* devices);
  Status QueryDevice(hal_string_view_t id, hal_device_properties_t* out_properties, hal_device_limits_t* out_limits);
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device);
  Status CreateDeviceOnExecutor(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                                const hal_executor_t* executor, hal_device_t** out_device);

 private:
  explicit LocalDriver(const hal_driver_interface_t& completed);
};

}  // namespace halyard::local

/// The driver's tables, for the registry.
extern "C" const hal_driver_interface_t* hal_local_driver_interface(void);

#endif  // HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DRIVER_H_
