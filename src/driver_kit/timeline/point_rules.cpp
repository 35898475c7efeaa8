// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/point_rules.h"

#include <array>
#include <cinttypes>
#include <cstdio>

#include "driver_kit/object/labels.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

Status CheckDistance(const char* argument, hal_semaphore_t* semaphore, uint64_t value) {
  uint64_t now = 0;
  FromC(VtableOf(semaphore)->query(semaphore, &now)).Ignore();  // that the semaphore has failed is found elsewhere
  const uint64_t most = semaphore->device->info->limits->max_semaphore_distance;
  if (value <= now || value - now <= most) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%s %" PRIu64 " is ahead of the timeline%s, which stands at %" PRIu64
              ", by more than the device's max_semaphore_distance %" PRIu64,
              argument, value, LabelWords(semaphore).c_str(), now, most);
}

}  // namespace

Status CheckLargestValue(const char* argument, const hal_device_t* device, uint64_t value) {
  const uint64_t largest = device->info->limits->max_semaphore_value;
  if (value <= largest) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s %" PRIu64 " exceeds the device's max_semaphore_value %" PRIu64, argument,
              value, largest);
}

Status CheckUnusualValue(const char* argument, hal_semaphore_t* semaphore, uint64_t value) {
  HAL_TRY(CheckLargestValue(argument, semaphore->device, value));
  return CheckDistance(argument, semaphore, value);
}

Status FailPointSemaphore(const PointLook& look, const PointName& name) {
  std::array<char, 64> argument;
  std::snprintf(argument.data(), argument.size(), "%s.points[%zu].semaphore", name.list, name.index);
  return FailKind(argument.data(), look.point.semaphore, HAL_OBJECT_KIND_SEMAPHORE);
}

Status FailPointValue(const PointLook& look, const PointName& name) {
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].value is %" PRIu64 "; a signal moves its timeline forward",
              name.list, name.index, look.point.value);
}

Status CheckUnusualPoint(const PointLook& look, const PointName& name) {
  std::array<char, 64> argument;
  std::snprintf(argument.data(), argument.size(), "%s.points[%zu].value", name.list, name.index);
  return CheckUnusualValue(argument.data(), look.point.semaphore, look.point.value);
}

Status RefusePoints(const char* name, std::span<const hal_timeline_point_t> points, uint64_t least) {
  for (size_t i = 0; i < points.size(); ++i) {
    HAL_TRY(RefuseFirst<kPointRules>(PointLook{points[i], least}, PointName{name, i}));
  }
  return kOk;
}

Status RefuseList(const char* name, const hal_semaphore_list_t& list, uint64_t least) {
  if (list.count > 0 && !list.points) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.count is %zu, but %s.points is NULL", name, list.count, name);
  }
  return RefusePoints(name, {list.points, list.count}, least);
}

}  // namespace halyard
