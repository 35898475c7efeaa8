// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue operation of the null driver: the heart of a driver, where work is done.
#ifndef HALYARD_DRIVERS_NULL_NULL_ACTION_H_
#define HALYARD_DRIVERS_NULL_NULL_ACTION_H_

#include "base/status.h"
#include "driver_kit/queue/operation_action.h"

namespace halyard::null {

/// The bases do the rest: QueueAction waits, signals and passes failures on; OperationAction owns what the operation
/// refers to, calls the host, and reports to profiling. Comes from the device's pool.
class NullAction final : public OperationAction {
 protected:
  void OnReady() noexcept override;
  Status RunOperation() override;
  void Recycle() noexcept override;
};

}  // namespace halyard::null

#endif  // HALYARD_DRIVERS_NULL_NULL_ACTION_H_
