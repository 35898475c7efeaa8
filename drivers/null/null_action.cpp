// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "null/null_action.h"

#include "driver_kit/queue/operation.h"
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
  return Visit(type(), Overloaded{
                           // It is its waits and signals.
                           [](operations::Barrier) { return kOk; },
                           // Replace: VisitWork(command(), ...), which is a transfer or a dispatch.
                           [](operations::Command) { return kOk; },
                           // Replace: run what command_buffer() has recorded; references without a buffer name a slot
                           // of table().
                           [](operations::Execute) { return kOk; },
                           [&](operations::Alloca) { return static_cast<NullBuffer*>(buffer())->storage().Commit(); },
                           [&](operations::Dealloca) {
                             static_cast<NullBuffer*>(buffer())->storage().Decommit();
                             return kOk;
                           },
                           // Replace: TransferFile() to or from the address of io().buffer.
                           [](operations::Io) { return kOk; },
                           // Run() calls the host.
                           [](operations::HostCall) { return kOk; },
                       });
}

// The last reference to the action is gone, which may be later than its end.
void NullAction::Recycle() noexcept {
  const Ref<hal_device_t> kept = TakeDevice();  // the pool is a part of the device
  static_cast<NullDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::null
