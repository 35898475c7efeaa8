// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the points of a timeline must be that a caller gives, to the public functions or to a driver's extension.
#ifndef HALYARD_DRIVER_KIT_TIMELINE_POINT_RULES_H_
#define HALYARD_DRIVER_KIT_TIMELINE_POINT_RULES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rules.h"
#include "base/status.h"
#include "driver_kit/object/object_kind.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Whether a look at the limits alone shows that the value is legal, as it does on most devices.
inline bool IsPlainlyLegal(const hal_semaphore_t& semaphore, uint64_t value) {
  const hal_device_limits_t& limits = *semaphore.device->info->limits;
  return value <= limits.max_semaphore_value && limits.max_semaphore_distance == UINT64_MAX;
}

/// OUT_OF_RANGE if `value` is above the device's max_semaphore_value.
Status CheckLargestValue(const char* argument, const hal_device_t* device, uint64_t value);

/// The rest of CheckTimelineValue().
Status CheckUnusualValue(const char* argument, hal_semaphore_t* semaphore, uint64_t value);

/// OUT_OF_RANGE if the semaphore's device takes no such `value`: above max_semaphore_value, or ahead of where the
/// timeline stands by more than max_semaphore_distance. `argument` names the value in messages.
inline Status CheckTimelineValue(const char* argument, hal_semaphore_t* semaphore, uint64_t value) {
  return IsPlainlyLegal(*semaphore, value) ? kOk : CheckUnusualValue(argument, semaphore, value);
}

/// A point of a list, for rules. `least` is the smallest value that it may have.
struct PointLook {
  const hal_timeline_point_t& point;
  uint64_t least;
};

/// A point of a list, for messages.
struct PointName {
  const char* list;
  size_t index;
};

/// @name Messages of the rules
/// @{
Status FailPointSemaphore(const PointLook& look, const PointName& name);
Status FailPointValue(const PointLook& look, const PointName& name);
Status CheckUnusualPoint(const PointLook& look, const PointName& name);
/// @}

/// What a point must be.
inline constexpr Rule<PointLook, PointName> kPointRules[] = {
    {[](const PointLook& look) { return look.point.semaphore && IsWhatItSays(look.point.semaphore); },
     FailPointSemaphore},
    {[](const PointLook& look) { return look.point.value >= look.least; }, FailPointValue},
    {[](const PointLook& look) { return IsPlainlyLegal(*look.point.semaphore, look.point.value); }, CheckUnusualPoint},
};

/// Whether a look at each point shows that all rules hold. If not, RefusePoints() tells what is wrong, if anything is.
inline bool ArePlainlyLegal(const hal_semaphore_list_t& list, uint64_t least) {
  if (!list.points) return list.count == 0;
  // No algorithm: the library's takes four points a turn, which costs more than a list of one.
  for (const hal_timeline_point_t& point : std::span(list.points, list.count)) {
    if (!AllHold<kPointRules>(PointLook{point, least})) return false;
  }
  return true;
}

/// The refusal of the first point that is none, or has a value that is below `least` or not legal. `name` is what the
/// list is called. INVALID_ARGUMENT, or OUT_OF_RANGE as CheckTimelineValue().
Status RefusePoints(const char* name, std::span<const hal_timeline_point_t> points, uint64_t least);

/// The same for a list as it was given: INVALID_ARGUMENT also if it has a count and no points.
[[gnu::cold, gnu::noinline]] Status RefuseList(const char* name, const hal_semaphore_list_t& list, uint64_t least);
/// @param least  the smallest value of a point: 1 for signals
inline Status CheckList(const char* name, const hal_semaphore_list_t& list, uint64_t least) {
  return ArePlainlyLegal(list, least) ? kOk : RefuseList(name, list, least);
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TIMELINE_POINT_RULES_H_
