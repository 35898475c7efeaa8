// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for all that was submitted to a device.
#ifndef HALYARD_DRIVER_KIT_QUEUE_DRAIN_H_
#define HALYARD_DRIVER_KIT_QUEUE_DRAIN_H_

#include <chrono>
#include <cinttypes>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"

namespace halyard {

/// As hal_device_drain(), for a device whose operations are the actions of `pool`. `look()` has the device notice what
/// it has completed. The thread looks at the pool at growing intervals, so an operation pays nothing for it.
template <class Action, class Look>
Status DrainOperations(const DeviceBase& device, ActionPool<Action>& pool, uint64_t timeout_ns, const Look& look) {
  const uint64_t last = device.LastOperationNumber();
  const Deadline deadline = DeadlineAfter(timeout_ns);
  for (Pauses pauses(kPausesOfDrain);;) {
    look();
    const auto unended = pool.CountUnended(last);
    if (unended.count == 0) return kOk;
    if (timeout_ns == 0 || deadline.passed()) {
      return Fail(HAL_STATUS_DEADLINE_EXCEEDED,
                  "%zu of the operations that were submitted before are not over; the oldest is "
                  "operation %" PRIu64 " of the device",
                  unended.count, unended.oldest);
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(pauses.Next()));
  }
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_DRAIN_H_
