// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/queue/local_immediate.h"

#include <array>
#include <cstddef>
#include <span>

#include "base/drain_scope.h"
#include "driver_kit/object/object.h"
#include "driver_kit/queue/operation.h"
#include "driver_kit/queue/signal_end.h"
#include "local/device/local_device.h"
#include "local/memory/local_buffer.h"
#include "local/recording/local_command_buffer.h"
#include "local/recording/local_commands.h"

namespace halyard::local {
namespace {

constexpr size_t kMaxSignals = 2;

std::span<const hal_timeline_point_t> Points(const hal_semaphore_list_t& list) { return {list.points, list.count}; }

/// Whether the thread that submits such an operation is the one that runs it.
bool RunsHere(const LocalDevice& device, hal_queue_operation_type_t type) {
  return Visit(type, Overloaded{
                         [](operations::Barrier) { return true; }, [](operations::Memory) { return true; },
                         [&](operations::Commands) { return device.is_sync(); },
                         [](operations::OfHost) { return false; },  // keeps what it is given, or calls the application
                     });
}

/// Only of this driver's timelines one look tells; others may have to ask a device.
bool IsReached(const LocalDevice& device, const hal_timeline_point_t& point) {
  return point.semaphore->object.vtable == device.tables().semaphore &&
         static_cast<const TimelineSemaphore*>(point.semaphore)->Reached(point.value);
}

bool AreReached(const LocalDevice& device, const hal_semaphore_list_t& waits) {
  for (const hal_timeline_point_t& point : Points(waits)) {  // no algorithm: most lists have one point
    if (!IsReached(device, point)) return false;
  }
  return true;
}

/// An operation that something else brought about takes its turn, so that no chain of them nests. One that is profiled,
/// or whose failure no signal carries, is told of as an action.
bool IsImmediate(LocalDevice& device, const hal_queue_operation_t& operation) {
  const size_t signals = operation.signal_list.count;
  return RunsHere(device, operation.type) && DrainScope::IsFirst() && signals > 0 && signals <= kMaxSignals &&
         !device.profiling().Wants(~hal_profiling_flags_t{0}) && !TimesOf(operation) &&
         AreReached(device, operation.wait_list);
}

CommandContext Context(LocalDevice& device, BindingTable table) {
  return {device.executor(), device.profiling(), table, device};
}

/// No record and no warning will have its label, but the thread that gave it one may ask for its number.
void CountOperation(LocalDevice& device, const hal_queue_operation_t& operation) {
  const uint64_t number = device.NextOperationNumber();
  const bool has_label = operation.struct_size > offsetof(hal_queue_operation_t, label);
  if (has_label && operation.out_number) [[unlikely]]
    *operation.out_number = number;
}

/// Apart, as few recordings take any.
[[gnu::noinline]] Status ExecuteWithNumbers(LocalDevice& device, const LocalCommandBuffer& commands,
                                            const CommandContext& context, std::span<const std::byte> numbers) {
  Arena arena(device.arenas());
  return commands.Run(context, commands.recorded().Fill(numbers, arena));
}

Status Execute(LocalDevice& device, const hal_queue_operation_t& operation) {
  const hal_queue_execute_t& given = operation.u.execute;
  const auto& commands = *static_cast<const LocalCommandBuffer*>(given.command_buffer);
  const CommandContext context = Context(device, BindingTable(given.table.refs, given.table.count));
  if (const auto numbers = NumbersOf(operation); !numbers.empty()) [[unlikely]]
    return ExecuteWithNumbers(device, commands, context, numbers);
  return commands.Run(context, commands.recorded().commands());
}

Status Run(LocalDevice& device, const hal_queue_operation_t& operation, LocalBuffer* made) {
  const auto& given = operation.u;
  return Visit(
      operation.type,
      Overloaded{
          [](operations::Barrier) { return kOk; }, [&](operations::Alloca) { return made->storage().Commit(); },
          [&](operations::Dealloca) {
            static_cast<LocalBuffer*>(given.deallocate.buffer)->storage().Decommit();
            return kOk;
          },
          [&](operations::Command) { return RunCommand(Context(device, {}), given.command, 0); },
          [&](operations::Execute) { return Execute(device, operation); },
          [](operations::OfHost) { return kOk; },  // never here
      });
}

/// The rest of End().
[[gnu::noinline]] void EndUnusually(const hal_semaphore_list_t& signals, Status status) noexcept {
  std::array<Ref<hal_semaphore_t>, kMaxSignals> kept;
  for (size_t i = 0; i < signals.count; ++i) kept[i] = Ref<hal_semaphore_t>::Retaining(signals.points[i].semaphore);
  if (status == kOk) {
    for (const hal_timeline_point_t& point : Points(signals)) SignalEnd(point.semaphore, point.value);
    return;
  }
  const Failure failure(status);
  for (const hal_timeline_point_t& point : Points(signals)) FailSemaphore(point.semaphore, failure);
}

/// A thread that sees one of the signals may release all that the operation was given, this device included.
void End(const hal_semaphore_list_t& signals, Status status) noexcept {
  if (status != kOk || signals.count != 1) [[unlikely]]
    return EndUnusually(signals, status);
  const hal_timeline_point_t point = signals.points[0];
  const auto kept = Ref<hal_semaphore_t>::Retaining(point.semaphore);
  SignalEnd(point.semaphore, point.value);
}

}  // namespace

bool RunImmediately(LocalDevice& device, const hal_queue_operation_t& operation, LocalBuffer* made) noexcept {
  if (!IsImmediate(device, operation)) return false;
  CountOperation(device, operation);
  const Status status = Guard([&] { return Run(device, operation, made); });
  End(operation.signal_list, status);
  return true;
}

}  // namespace halyard::local
