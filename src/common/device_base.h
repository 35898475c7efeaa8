// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every device has, whatever its hardware: its description, its health, its capture.
#ifndef HALYARD_COMMON_DEVICE_BASE_H_
#define HALYARD_COMMON_DEVICE_BASE_H_

#include <atomic>
#include <memory>
#include <string_view>

#include "common/device_health.h"
#include "common/host_memory.h"
#include "common/profiling_session.h"
#include "common/status.h"
#include "halyard/driver_api.h"

namespace halyard {

class DeviceTrace;

/// Base of a driver's device. The first of its public methods are entries of the vtable (see
/// common/driver_interface.h); a driver that does better declares one of the same name.
class DeviceBase : public hal_device_t, public HostObject {
 public:
  Status QueryHealth() { return health_.Check(); }
  /// A semaphore whose timeline lives on the host and fails with the device.
  Status CreateSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore);
  Status ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  Status ProfilingEnd() { return profiling_.End(); }

  /// Captures all from now on and writes it to a file when the device is gone (the parameter "trace"); an empty path
  /// does nothing. Once the device is complete.
  Status StartTrace(std::string_view path);

  const hal_driver_interface_t& tables() const { return tables_; }
  DeviceHealth& health() { return health_; }
  ProfilingSession& profiling() { return profiling_; }
  /// Counts the queue operations of the device from 1, for profiling.
  uint64_t NextOperationNumber() { return operation_count_.fetch_add(1, std::memory_order_relaxed) + 1; }

 protected:
  explicit DeviceBase(const hal_driver_interface_t& tables);
  ~DeviceBase();

  /// What hal_device_info() shows. The derived constructor fills in id, name, ordinal and queues.
  hal_device_info_t info_{};
  /// The limits in it, which the derived constructor tightens.
  hal_device_limits_t limits_;

 private:
  const hal_driver_interface_t& tables_;
  DeviceHealth health_;
  std::unique_ptr<DeviceTrace> trace_;  // outlives the session, which reports to it
  ProfilingSession profiling_;
  std::atomic<uint64_t> operation_count_{0};  // submitted so far
};

}  // namespace halyard

#endif  // HALYARD_COMMON_DEVICE_BASE_H_
