// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/operation_action.h"

#include <cinttypes>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "base/application_call.h"
#include "base/clock.h"
#include "base/log.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_copy.h"
#include "driver_kit/queue/operation.h"

namespace halyard {

std::string_view OperationAction::Name() const {
  return type_ == HAL_QUEUE_OPERATION_TYPE_COMMAND ? CommandName(command().type) : OperationName(type_);
}

void OperationAction::Capture(DeviceBase& device, const hal_queue_operation_t& operation, hal_buffer_t* buffer) {
  submit_time_ = device.profiling().Wants(~hal_profiling_flags_t{0}) ? MonotonicNanoseconds() : 0;
  queues_ = operation.queues;
  try {
    CaptureArguments(operation, buffer);
    if (hal_operation_times_t* const times = TimesOf(operation)) [[unlikely]]
      CaptureTimes(times);
    SetSignals(operation.signal_list);
  } catch (...) {
    extras_ = nullptr;
    arena_.Clear();
    throw;
  }
  type_ = operation.type;
  owns_arguments_ = operation.type != HAL_QUEUE_OPERATION_TYPE_BARRIER;
  if (owns_arguments_) VisitObjects([](auto* object) { Retain(object); });
  number_.store(device.NextOperationNumber(), std::memory_order_relaxed);
  device_ = Ref<hal_device_t>::Retaining(&device);
  if (operation.struct_size > offsetof(hal_queue_operation_t, label)) [[unlikely]]
    CaptureLabel(operation);
}

void OperationAction::CaptureTimes(hal_operation_times_t* times) {
  MakeExtras().times = times;
  if (submit_time_ == 0) submit_time_ = MonotonicNanoseconds();
}

// Without memory for it the operation does without its label.
[[gnu::noinline]] void OperationAction::CaptureLabel(const hal_queue_operation_t& operation) noexcept {
  if (operation.out_number) *operation.out_number = number();
  const std::string_view label = View(operation.label);
  if (label.empty()) return;
  try {
    Extras& extras = MakeExtras();
    extras.label = {arena_.Copy(label.data(), label.size()), label.size()};
  } catch (const std::bad_alloc&) {
    return;
  }
}

OperationAction::Extras& OperationAction::MakeExtras() {
  if (!extras_) extras_ = new (arena_.Allocate(sizeof(Extras))) Extras{};
  return *extras_;
}

void OperationAction::CaptureArguments(const hal_queue_operation_t& operation, hal_buffer_t* buffer) {
  const auto& given = operation.u;
  Visit(operation.type,
        Overloaded{
            [](operations::Barrier) {},
            [&](operations::Command) { arguments_.command = CopyCommand(arena_, given.command); },
            [&](operations::Execute) {
              const hal_buffer_ref_list_t& table = given.execute.table;
              arguments_.execute = {given.execute.command_buffer, {arena_.Copy(table.refs, table.count), table.count}};
              if (const auto numbers = NumbersOf(operation); !numbers.empty()) [[unlikely]]
                CaptureNumbers(numbers);
            },
            [&](operations::Alloca) { arguments_.buffer = buffer; },
            [&](operations::Dealloca) { arguments_.buffer = given.deallocate.buffer; },
            [&](operations::Io) { arguments_.io = given.io; },
            [&](operations::HostCall) { arguments_.host_call = given.host_call; },
        });
}

// Of an execution, whose command buffer is captured.
void OperationAction::CaptureNumbers(std::span<const std::byte> given) {
  const RecordedCommands* const commands = recorded();
  if (!commands) return;
  Extras& extras = MakeExtras();
  extras.numbers = {arena_.Copy(given.data(), given.size()), given.size()};
  extras.filled = commands->Fill(extras.numbers, arena_);
}

/// Calls `visit` with each object that the operation names; they may be NULL.
template <class Visitor>
void OperationAction::VisitObjects(const Visitor& visit) const {
  Visit(type_, Overloaded{
                   [](operations::Barrier) {},
                   [&](operations::Command) { ForEachObject(command(), visit); },
                   [&](operations::Execute) {
                     visit(command_buffer());
                     for (const hal_buffer_ref_t& ref : table()) visit(ref.buffer);
                   },
                   [&](operations::Memory) { visit(buffer()); },
                   [&](operations::Io) {
                     visit(io().file);
                     visit(io().buffer.buffer);
                   },
                   [](operations::HostCall) {},
               });
}

void OperationAction::Clear() noexcept {
  if (!owns_arguments_ && !extras_) return;  // a barrier is not to be slowed down
  if (std::exchange(owns_arguments_, false)) VisitObjects([](auto* object) { Release(object); });
  if (extras_) delete std::exchange(extras_, nullptr)->groups;
  arena_.Clear();
}

void OperationAction::Run() noexcept {
  if (ended()) [[unlikely]]
    return DropReference();
  const uint64_t start = submit_time_ != 0 ? MonotonicNanoseconds() : 0;
  Status status = RunIfHealthy();
  if (type() == HAL_QUEUE_OPERATION_TYPE_HOST_CALL) status = RunHostCall(status);
  Finish(start, 0, status);
}

void OperationAction::Finish(uint64_t start, uint64_t end, Status status) noexcept {
  if (submit_time_ != 0) Report(start, end, status.code());
  const DrainScope scope;
  if (status != kOk) LogUntold(status);
  Clear();  // before the signals: a thread that sees them can rely on the operation's references being released
  Complete(status);
}

// A failure that no signal carries. Of a lost device every call tells.
[[gnu::cold, gnu::noinline]] void OperationAction::LogUntold(const Status& status) noexcept {
  if (!signals().empty() || withdrawn() || device().health().lost()) return;
  const std::string_view name = Name();
  const hal_device_info_t& info = *device().info;
  const std::string_view label = this->label();
  const char* const quote = label.empty() ? "" : "'";
  const Failure text(Fail(status.code(),
                          "operation %" PRIu64 " of %.*s://%.*s%s (%.*s%s%s%.*s%s, signals nothing) failed: %s: %s",
                          number(), HALYARD_SV(View(info.driver)), HALYARD_SV(View(info.id)),
                          LabelWords(device_.get()).c_str(), HALYARD_SV(name), label.empty() ? "" : " ", quote,
                          HALYARD_SV(label), quote, hal_status_name(status.code()), status.message().data()));
  LogLater(HAL_LOG_LEVEL_WARNING, text.message());
}

Status OperationAction::CheckMayRun() const {
  if (wait_failed()) return wait_failure().Share();
  return device().health().Check();
}

Status OperationAction::RunIfHealthy() noexcept {
  HAL_TRY(CheckMayRun());
  if (type() == HAL_QUEUE_OPERATION_TYPE_HOST_CALL) return kOk;
  return Guard([this] { return RunOperation(); });
}

Status OperationAction::RunHostCall(Status status) noexcept {
  const hal_queue_host_call_t& call = arguments_.host_call;
  const LastMessageScope message(status.Share());
  if (status != kOk) {
    CallApplicationUntold("a host call", [&] { static_cast<void>(call.callback(call.user_data, status.code())); });
    return status;
  }
  const Status result =
      CallApplication("a host call", [&] { return FromC(call.callback(call.user_data, HAL_STATUS_OK)); });
  return result.message().empty() ? Annotate(result, "the host call's callback failed") : result;
}

Status OperationAction::TransferFile(uint64_t skip, void* data, uint64_t length) const {
  const hal_queue_io_t& transfer = io();
  if (length == 0) return kOk;
  const uint64_t offset = transfer.file_offset + skip;
  if (type() == HAL_QUEUE_OPERATION_TYPE_READ)
    return FromC(VtableOf(transfer.file)->read(transfer.file, offset, data, length));
  return FromC(VtableOf(transfer.file)->write(transfer.file, offset, data, length));
}

// Without memory for them the groups are not recorded.
void OperationAction::FindGroups() noexcept {
  if (type_ != HAL_QUEUE_OPERATION_TYPE_EXECUTE || (extras_ && extras_->groups)) return;
  if (!device().profiling().Wants(HAL_PROFILING_DEBUG_GROUPS)) return;
  try {
    Extras& extras = MakeExtras();
    extras.groups = new GroupTimes(commands());
  } catch (const std::bad_alloc&) {
    return;
  }
}

OperationRecord OperationAction::MakeRecord() {
  if (profiled()) FindGroups();
  OperationRecord record{};
  record.struct_size = sizeof(hal_profiling_record_t);
  record.device = device_.get();
  record.operation = number();
  record.queue = queue_index();
  record.submit_time = submit_time_;
  record.label = ToC(label());
  record.groups = extras_ ? extras_->groups : nullptr;
  return record;
}

void OperationAction::Report(uint64_t start, uint64_t end, hal_status_t status) noexcept {
  OperationRecord record = MakeRecord();
  record.status = status;
  const std::unique_ptr<GroupTimes> groups(extras_ ? std::exchange(extras_->groups, nullptr) : nullptr);
  if (groups) groups->Report(device().profiling(), record);
  record.kind = HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION;
  record.name = ToC(Name());
  record.start_time = start;
  record.end_time = end != 0 ? end : MonotonicNanoseconds();
  if (extras_ && extras_->times && status == HAL_STATUS_OK) {
    extras_->times->start_time = record.start_time;
    extras_->times->end_time = record.end_time;
  }
  device().profiling().Record(record);
}

}  // namespace halyard
