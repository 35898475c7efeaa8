// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every device has, whatever its hardware: its description, its health, its capture.
#ifndef HALYARD_DRIVER_KIT_DEVICE_DEVICE_BASE_H_
#define HALYARD_DRIVER_KIT_DEVICE_DEVICE_BASE_H_

#include <atomic>
#include <memory>
#include <string_view>

#include "base/arena.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/device/device_extension.h"
#include "driver_kit/device/device_health.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"

namespace halyard {

class DeviceTrace;

/// Base of a driver's device. The first of its public methods are entries of the vtable (see
/// driver_kit/device/driver_interface.h); a driver that does better declares one of the same name.
class DeviceBase : public hal_device_t, public HostObject {
 public:
  Status QueryHealth() { return health_.Check(); }
  /// A semaphore whose timeline lives on the host and fails with the device.
  Status CreateSemaphore(const hal_semaphore_params_t* params, hal_semaphore_t** out_semaphore);
  /// An event that is only a name (driver_kit/device/event.h).
  Status CreateEvent(hal_event_t** out_event);
  Status ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  Status ProfilingEnd() { return profiling_.End(); }
  Status QueryInterface(hal_string_view_t name, uint32_t version, const void** out_table);
  Status QueryProperties(hal_device_properties_t* out_properties);

  /// Captures all from now on and writes it to a file when the device is gone (the parameter "trace"); an empty path
  /// does nothing. Once the device is complete.
  Status StartTrace(std::string_view path);

  /// Sets how threads of the application wait for semaphores that are made from now on (the parameter "wait"). Before
  /// the first one is made.
  void SetWaitMode(WaitMode mode) { wait_mode_ = mode; }
  WaitMode wait_mode() const { return wait_mode_; }

  const hal_driver_interface_t& tables() const { return tables_; }
  DeviceHealth& health() { return health_; }
  ProfilingSession& profiling() { return profiling_; }
  /// What recordings are made in. Command buffers give it back before the device is gone.
  ArenaPool& arenas() { return arenas_; }
  /// Counts the queue operations of the device from 1, for profiling.
  uint64_t NextOperationNumber() { return operation_count_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// The number of the last one.
  uint64_t LastOperationNumber() const { return operation_count_.load(std::memory_order_relaxed); }

 protected:
  explicit DeviceBase(const hal_driver_interface_t& tables);
  ~DeviceBase();

  /// What hal_device_info() shows. The derived constructor fills in id, name, ordinal and queues.
  hal_device_info_t info_{};
  /// The limits in it, which the derived constructor tightens.
  hal_device_limits_t limits_;
  /// What hal_device_query_properties() shows, except extensions. The derived constructor fills in what it knows; what
  /// it points to must live as long as the device.
  hal_device_properties_t properties_ = BlankProperties();
  /// Frees memory that the host has kept for the next operations: a part of hal_allocator_trim(). May throw.
  void TrimHostMemory();
  /// Adds what hal_device_query_interface() answers to; in the derived constructor.
  void AddExtension(const DeviceExtension& extension);

 private:
  const hal_driver_interface_t& tables_;
  DeviceHealth health_;
  WaitMode wait_mode_ = WaitMode::kAuto;
  ArenaPool arenas_;
  std::unique_ptr<DeviceTrace> trace_;  // outlives the session, which reports to it
  ProfilingSession profiling_;
  std::atomic<uint64_t> operation_count_{0};            // submitted so far
  HostVector<hal_device_extension_t> extension_names_;  // unchanged once the device is made, as its tables
  HostVector<const void*> extension_tables_;            // by the same index
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_DEVICE_BASE_H_
