// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fences and semaphores do alike.
#ifndef HALYARD_CORE_SEMAPHORE_H_
#define HALYARD_CORE_SEMAPHORE_H_

#include <algorithm>
#include <span>

#include "base/status.h"
#include "core/validation/object_kind.h"
#include "core/validation/rules.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Whether a look at the limits alone shows that the value is legal, as it does on most devices.
inline bool IsPlainlyLegal(const hal_semaphore_t& semaphore, uint64_t value) {
  const hal_device_limits_t& limits = *semaphore.device->info->limits;
  return value <= limits.max_semaphore_value && limits.max_semaphore_distance == UINT64_MAX;
}

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

/// As hal_semaphore_signal(), for a semaphore that was checked. Within a DrainScope, so
/// that no callback gives the semaphore up meanwhile.
Status SignalSemaphore(hal_semaphore_t* semaphore, uint64_t value);

/// INVALID_ARGUMENT unless `status` is one that a semaphore can fail with: any that is known, but OK.
Status CheckFailure(hal_status_t status);

/// As hal_semaphore_fail(), for arguments that were checked. Within a DrainScope as well.
Status FailSemaphore(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message);

}  // namespace halyard

#endif  // HALYARD_CORE_SEMAPHORE_H_
