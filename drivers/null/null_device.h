// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The null device.
#ifndef HALYARD_DRIVERS_NULL_NULL_DEVICE_H_
#define HALYARD_DRIVERS_NULL_NULL_DEVICE_H_

#include <string_view>

#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "null/null_action.h"
#include "null/null_allocator.h"
#include "null/null_command_buffer.h"
#include "null/null_executable.h"

namespace halyard::null {

/// Makes every other object. DeviceBase brings semaphores, health and profiling.
/// Replace: members for the vendor's device and its streams or queues. They go last, so that they are destroyed first:
/// nothing may be running when the rest goes.
/// What is known of a device whether or not it is open.
void DescribeNullDevice(hal_device_properties_t* properties);

class NullDevice final : public DeviceBase {
 public:
  static constexpr std::string_view kName = "null device";

  NullDevice(const hal_driver_interface_t& tables, uint32_t queue_count);

  Status QueryFormat(hal_string_view_t format);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  /// The one way in for all queue operations.
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);
  /// Replace: whether devices of the driver can reach each other's memory, and what lies between them.
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);

  ActionPool<NullAction>& actions() { return actions_; }

 private:
  NullAllocator allocator_;
  ActionPool<NullAction> actions_;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_DEVICE_H_
