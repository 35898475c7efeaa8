// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/interop_checks.h"

#include "driver_kit/object/object_kind.h"
#include "driver_kit/timeline/point_rules.h"

namespace halyard {

Status CheckWaitList(const hal_semaphore_list_t& list) { return CheckList("wait_list", list, 0); }
Status CheckSignalList(const hal_semaphore_list_t& list) { return CheckList("signal_list", list, 1); }

Status CheckDriver(const hal_device_t* device, std::string_view driver) {
  if (!device || !IsWhatItSays(device)) return FailKind("device", device, HAL_OBJECT_KIND_DEVICE);
  const std::string_view actual = View(device->info->driver);
  if (actual == driver) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "the device is the %.*s driver's, not the %.*s driver's", HALYARD_SV(actual),
              HALYARD_SV(driver));
}

hal_queue_operation_t MakeJoin(hal_semaphore_list_t waits) {
  hal_queue_operation_t operation{};
  operation.struct_size = sizeof(operation);
  operation.type = HAL_QUEUE_OPERATION_TYPE_COMMAND;
  operation.queues = 1;
  operation.wait_list = waits;
  operation.u.command.type = HAL_COMMAND_TYPE_FILL;
  operation.u.command.u.fill.pattern_size = 4;
  return operation;
}

}  // namespace halyard
