// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_action.h"

#include "null/null_device.h"

namespace halyard::null {

// The waits are reached, or one has failed. Holds no lock; on whatever thread signalled last.
void NullAction::OnReady() noexcept {
  // Run() on this thread, once the call that released it has woken all other threads.
  // Replace: hand it to a thread or stream of the device, unless only_fails(). A driver whose work ends later than
  // RunOperation() returns does not use Run() at all: see src/stream.
  DrainScope::Defer(this);
}

Status NullAction::RunOperation() {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return static_cast<NullBuffer*>(buffer())->storage().Commit();
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      static_cast<NullBuffer*>(buffer())->storage().Decommit();
      return kOk;
    case HAL_QUEUE_OPERATION_TYPE_COMMAND:
      // Replace: run command(), which is a fill, update, copy, strided copy or dispatch.
    case HAL_QUEUE_OPERATION_TYPE_EXECUTE:
      // Replace: run what command_buffer() has recorded; references without a buffer name a slot of table().
    case HAL_QUEUE_OPERATION_TYPE_READ:
    case HAL_QUEUE_OPERATION_TYPE_WRITE:
      // Replace: TransferFile() to or from the address of io().buffer.
    default:
      // A barrier is its waits and signals. New operations of a later version come here, too.
      return kOk;
  }
}

// The last reference to the action is gone, which may be later than its end.
void NullAction::Recycle() noexcept {
  const Ref<hal_device_t> kept = TakeDevice();  // the pool is a part of the device
  static_cast<NullDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::null
