// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/queue/local_action.h"

#include "driver_kit/object/vtable.h"
#include "local/device/local_device.h"
#include "local/memory/local_buffer.h"
#include "local/recording/local_command_buffer.h"
#include "local/recording/local_commands.h"

namespace halyard::local {

static_assert(sizeof(LocalAction) <= 256, "a crowd of deferred operations takes as many times this");
namespace {

// Too little work to be worth another thread.
bool IsImmediate(hal_queue_operation_type_t type) {
  return type == HAL_QUEUE_OPERATION_TYPE_BARRIER || type == HAL_QUEUE_OPERATION_TYPE_ALLOCA ||
         type == HAL_QUEUE_OPERATION_TYPE_DEALLOCA;
}

}  // namespace

LocalDevice& LocalAction::local_device() const { return static_cast<LocalDevice&>(device()); }

void LocalAction::OnReady() noexcept {
  if (only_fails() || IsImmediate(type())) {
    DrainScope::Defer(this);
    return;
  }
  // The call that releases the action may succeed even if its executor does not take it.
  const ScopedErrorMessage keeper;
  const Status status = Guard([this] { return local_device().executor().Enqueue(this); });
  if (status == kOk) return;  // the action may be gone
  FailReady(status);
  DrainScope::Defer(this);
}

CommandList LocalAction::recorded() const {
  return static_cast<const LocalCommandBuffer*>(command_buffer())->commands();
}

Status LocalAction::RunOperation() {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_COMMAND:
    case HAL_QUEUE_OPERATION_TYPE_EXECUTE:
      return RunCommands();
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return static_cast<LocalBuffer*>(buffer())->storage().Commit();
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      static_cast<LocalBuffer*>(buffer())->storage().Decommit();
      return kOk;
    case HAL_QUEUE_OPERATION_TYPE_READ:
    case HAL_QUEUE_OPERATION_TYPE_WRITE:
      return RunIo();
    default:
      return kOk;
  }
}

Status LocalAction::RunCommands() {
  const OperationRecord record = MakeRecord();
  const CommandContext context{local_device().executor(), device().profiling(), table(), device(), &record};
  if (type() == HAL_QUEUE_OPERATION_TYPE_COMMAND) return RunCommand(context, command(), 0);
  return static_cast<const LocalCommandBuffer*>(command_buffer())->Run(context);
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
