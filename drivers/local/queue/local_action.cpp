// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/queue/local_action.h"

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/operation.h"
#include "local/device/local_device.h"
#include "local/memory/local_buffer.h"
#include "local/recording/local_command_buffer.h"
#include "local/recording/local_commands.h"

namespace halyard::local {

static_assert(sizeof(LocalAction) <= 256, "a crowd of deferred operations takes as many times this");

LocalDevice& LocalAction::local_device() const { return static_cast<LocalDevice&>(device()); }

void LocalAction::OnReady() noexcept {
  const bool is_light = Visit(type(), Overloaded{
                                          [](operations::Barrier) { return true; },
                                          [](operations::Memory) { return true; },
                                          [](operations::Commands) { return false; },
                                          [](operations::OfHost) { return false; },
                                      });
  if (only_fails() || is_light) {  // too little work to be worth another thread
    DrainScope::Defer(this);
    return;
  }
  // The call that releases the action may succeed even if its executor does not take it.
  const Status status = Guard([this] { return local_device().executor().Enqueue(this); });
  if (status == kOk) return;  // the action may be gone
  FailReady(status);
  DrainScope::Defer(this);
}

const RecordedCommands* LocalAction::recorded() const {
  return &static_cast<const LocalCommandBuffer*>(command_buffer())->recorded();
}

Status LocalAction::RunOperation() {
  return Visit(type(),
               Overloaded{
                   [](operations::Barrier) { return kOk; }, [&](operations::Commands) { return RunCommands(); },
                   [&](operations::Alloca) { return static_cast<LocalBuffer*>(buffer())->storage().Commit(); },
                   [&](operations::Dealloca) {
                     static_cast<LocalBuffer*>(buffer())->storage().Decommit();
                     return kOk;
                   },
                   [&](operations::Io) { return RunIo(); }, [](operations::HostCall) { return kOk; },  // Run() calls it
               });
}

Status LocalAction::RunCommands() {
  const OperationRecord record = MakeRecord();
  const CommandContext context{local_device().executor(), device().profiling(), table(), device(), &record};
  if (type() == HAL_QUEUE_OPERATION_TYPE_COMMAND) return RunCommand(context, command(), 0);
  return static_cast<const LocalCommandBuffer*>(command_buffer())->Run(context, commands());
}

Status LocalAction::RunIo() {
  const CommandContext context{local_device().executor(), device().profiling(), {}, device()};
  Pins pins;
  MemoryRange memory{};
  HAL_TRY(Resolve(context, io().buffer, pins, &memory));
  return TransferFile(memory.data, memory.length);
}

void LocalAction::Recycle() noexcept {
  // The pool is the device's: it goes no earlier than the reference.
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<LocalDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::local
