// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looking at and waiting for points on timelines of any driver.
#ifndef HALYARD_CORE_LIST_WAIT_H_
#define HALYARD_CORE_LIST_WAIT_H_

#include <span>

#include "base/status.h"
#include "core/validation/checks.h"
#include "halyard/driver_api.h"

namespace halyard {

/// INVALID_ARGUMENT if the list or a semaphore in it is NULL, OUT_OF_RANGE as CheckTimelineValue() says; else `*points`
/// is what it holds.
Status ReadPoints(hal_semaphore_list_t list, std::span<const hal_timeline_point_t>* points);

/// What a wait returns for `failure`, a semaphore's; OK for OK. DEADLINE_EXCEEDED says that the wait took too long, so
/// a semaphore that failed with it ends the wait with ABORTED.
Status AwaitedFailure(Status failure) noexcept;

/// Counts the points that are not reached yet. Returns the first failure of a semaphore that failed before its point,
/// with its message.
Status CountPending(std::span<const hal_timeline_point_t> points, size_t* pending);

/// DEADLINE_EXCEEDED, with the awaited and the present value of the first point that is not reached. If its semaphore
/// failed with that status: AwaitedFailure().
Status FailUnreached(std::span<const hal_timeline_point_t> points);

/// The flags that say how to wait.
inline constexpr hal_wait_flags_t kWaitModes = HAL_WAIT_AUTO | HAL_WAIT_SPIN | HAL_WAIT_YIELD | HAL_WAIT_BLOCK;

/// As hal_semaphore_wait(), for a point that was checked.
inline Status WaitForPoint(const hal_timeline_point_t& point, uint64_t timeout_ns, hal_wait_flags_t flags = 0) {
  // For what is asked after a time-out: what the wait ends may give up the caller's reference.
  Ref<hal_semaphore_t> kept;
  if (timeout_ns != HAL_TIMEOUT_INFINITE) kept = Ref<hal_semaphore_t>::Retaining(point.semaphore);
  const hal_semaphore_vtable_t& table = *VtableOf(point.semaphore);
  const hal_wait_flags_t mode = flags & kWaitModes;
  const Status status = FromC(mode == 0 ? table.wait(point.semaphore, point.value, timeout_ns)
                                        : table.wait_with_flags(point.semaphore, point.value, mode, timeout_ns));
  if (status.code() != HAL_STATUS_DEADLINE_EXCEEDED) [[likely]]
    return status;
  status.Ignore();
  return FailUnreached({&point, 1});
}

/// As hal_semaphore_list_wait(), for points that were checked. `*out_index`, unless NULL,
/// is set with HAL_WAIT_ANY alone.
Status WaitForPoints(std::span<const hal_timeline_point_t> points, hal_wait_flags_t flags, uint64_t timeout_ns,
                     size_t* out_index = nullptr);

}  // namespace halyard

#endif  // HALYARD_CORE_LIST_WAIT_H_
