// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/interop_checks.h"

#include <cinttypes>

namespace halyard {
namespace {

Status CheckList(const char* name, const hal_semaphore_list_t& list, uint64_t least) {
  if (list.count > 0 && !list.points) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.count is %zu, but %s.points is NULL", name, list.count, name);
  }
  for (size_t i = 0; i < list.count; ++i) {
    const hal_timeline_point_t& point = list.points[i];
    if (!point.semaphore) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].semaphore is NULL", name, i);
    if (point.value < least) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].value is 0; a signal moves its timeline forward", name,
                  i);
    }
    const uint64_t largest = point.semaphore->device->info->limits->max_semaphore_value;
    if (point.value > largest) {
      return Fail(HAL_STATUS_OUT_OF_RANGE, "%s.points[%zu].value exceeds max_semaphore_value %" PRIu64, name, i,
                  largest);
    }
  }
  return kOk;
}

}  // namespace

Status CheckWaitList(const hal_semaphore_list_t& list) { return CheckList("wait_list", list, 0); }
Status CheckSignalList(const hal_semaphore_list_t& list) { return CheckList("signal_list", list, 1); }

Status CheckDriver(const hal_device_t* device, std::string_view driver) {
  HAL_TRY(CheckGiven("device", device));
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
