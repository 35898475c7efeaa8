// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue operation of the local driver: what it does, and on which thread.
#ifndef HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_ACTION_H_
#define HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_ACTION_H_

#include "base/status.h"
#include "driver_kit/queue/operation_action.h"

namespace halyard::local {

class LocalDevice;

/// Comes from the device's pool.
class LocalAction final : public OperationAction {
 protected:
  void OnReady() noexcept override;
  Status RunOperation() override;
  const RecordedCommands* recorded() const override;
  void Recycle() noexcept override;

 private:
  LocalDevice& local_device() const;
  Status RunCommands();
  Status RunIo();
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_QUEUE_LOCAL_ACTION_H_
