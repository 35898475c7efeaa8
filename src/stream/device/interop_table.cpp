// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/interop_table.h"

#include <cinttypes>

namespace halyard::stream {
namespace {

Status CheckList(const char* name, const hal_semaphore_list_t& list, uint64_t least) {
  if (list.count > 0 && !list.points) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.count is %zu, but %s.points is NULL", name, list.count, name);
  }
  for (size_t i = 0; i < list.count; ++i) {
    const hal_timeline_point_t& point = list.points[i];
    if (!point.semaphore) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].semaphore is NULL", name, i);
    }
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

}  // namespace halyard::stream
