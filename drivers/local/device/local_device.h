// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local devices: `local://task` on a thread pool, `local://sync` on the caller's threads.
#ifndef HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DEVICE_H_
#define HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DEVICE_H_

#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "image/host_object/linked_object.h"
#include "local/executor/local_executor.h"
#include "local/memory/local_allocator.h"
#include "local/queue/local_action.h"

namespace halyard::local {

/// What a local device is made from.
struct LocalDeviceOptions {
  std::string_view id;    // "task" or "sync"; a literal
  std::string_view name;  // for people; a literal
  uint32_t ordinal = 0;
  uint32_t queue_count = 4;                 // queues share the executor; they tell operations apart for tools
  uint64_t memory = 0;                      // bytes that buffers may take in all
  uint32_t binding_alignment = 1;           // bytes; as a device has it for which a program is to be fit
  uint64_t max_binding_range = UINT64_MAX;  // bytes; the same
  WaitMode wait = WaitMode::kAuto;          // how threads of the application wait
  Executor* executor = nullptr;             // one that devices share, or
  std::unique_ptr<Executor> own_executor;   // one that lives as long as the device
};

/// What is known of a local device whether or not it is open.
void DescribeLocalDevice(const LocalDeviceOptions& options, hal_device_properties_t* properties,
                         hal_device_limits_t* limits);

class LocalDevice final : public DeviceBase {
 public:
  LocalDevice(const hal_driver_interface_t& tables, LocalDeviceOptions options);

  Status QueryFormat(hal_string_view_t format);
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);

  /// Makes the device behave as lost: all that is pending fails, what waits for other devices included.
  void Lose(std::string_view reason);

  Executor& executor() { return *executor_; }
  /// Whether the thread that submits or releases an operation runs it.
  bool is_sync() const { return is_sync_; }
  ActionPool<LocalAction>& actions() { return actions_; }

 private:
  Status Trim();
  Status SubmitAlloca(const hal_queue_operation_t& operation);
  /// Makes an action of the operation. May throw, and is as before then. `buffer` is what an ALLOCA has made.
  void Defer(const hal_queue_operation_t& operation, hal_buffer_t* buffer);
  void FillInfo(const LocalDeviceOptions& options);

  const std::unique_ptr<Executor> own_executor_;  // first: it goes when all else is gone
  Executor* const executor_;                      // outlives the device
  const bool is_sync_;
  LocalAllocator allocator_;
  CodeArenas code_;  // of executables, which the device outlives
  ActionPool<LocalAction> actions_;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_DEVICE_H_
