// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_action.h"

#include <algorithm>

#include "common/clock.h"
#include "common/vtable.h"
#include "stream/stream_buffer.h"
#include "stream/stream_command_buffer.h"
#include "stream/stream_device.h"
#include "stream/stream_file_io.h"
#include "stream/stream_semaphore.h"

namespace halyard::stream {

StreamDevice& StreamAction::stream_device() const { return static_cast<StreamDevice&>(device()); }

// Whether the operation goes through a stream; else a thread of the host does it.
bool StreamAction::IsForDevice() const {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_HOST_CALL:
    case HAL_QUEUE_OPERATION_TYPE_READ:
    case HAL_QUEUE_OPERATION_TYPE_WRITE:
      return false;
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      return static_cast<StreamBuffer*>(buffer())->stream_ordered();
    default:
      return true;
  }
}

Status StreamAction::Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept {
  StreamSemaphore* const own = stream_device().OwnSemaphore(point.semaphore);
  if (!own || !IsForDevice()) return OperationAction::Await(point, callback);
  return Guard([&] { return own->NotifyCovered(point.value, *this, callback); });
}

void StreamAction::ComeAfter(size_t queue, uint64_t epoch) noexcept {
  std::atomic<uint64_t>& after = after_[queue];
  uint64_t last = after.load(std::memory_order_relaxed);
  while (last < epoch && !after.compare_exchange_weak(last, epoch, std::memory_order_relaxed)) {
  }
}

void StreamAction::OnReady() noexcept {
  if (only_fails() || IsForDevice()) {
    DrainScope::Defer(this);
  } else if (type() == HAL_QUEUE_OPERATION_TYPE_HOST_CALL) {
    stream_device().host_calls().Enqueue(this);
  } else {
    stream_device().host_work().Enqueue(this);
  }
}

void StreamAction::Run() noexcept {
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&device());
  if (only_fails() || !IsForDevice()) {
    OperationAction::Run();
  } else {
    RunOnDevice();
  }
}

// A join of points that are all reached.
bool StreamAction::NeedsNothing() const {
  return type() == HAL_QUEUE_OPERATION_TYPE_BARRIER &&
         std::all_of(after_.begin(), after_.begin() + stream_device().queue_count(),
                     [](const std::atomic<uint64_t>& epoch) { return epoch.load(std::memory_order_relaxed) == 0; });
}

void StreamAction::RunOnDevice() noexcept {
  if (profiled() && start_ == 0) start_ = MonotonicNanoseconds();
  Status status = CheckMayRun();
  if (status == kOk && !NeedsNothing()) {
    status = Guard([this] { return SubmitStage(); });
    if (status == kOk) return;  // Retired() ends it, or has done so
  }
  EndOnDevice(status);
}

Status StreamAction::SubmitStage() {
  const NativeScope scope(stream_device().api());
  if (scope.status() != kOk) return stream_device().Checked(scope.status());
  if (!queue_) {
    queue_ = &ChooseQueue();
    set_queue(queue_->index());
  }
  published_.store(false, std::memory_order_relaxed);
  return stream_device().Checked(queue_->Submit(*this));
}

// The queue that the operation comes after anyway, so that the stream's order is all it takes; else the next in turn.
StreamQueue& StreamAction::ChooseQueue() {
  StreamDevice& device = stream_device();
  for (uint32_t i = 0; i < device.queue_count(); ++i) {
    if ((queues() >> i & 1) != 0 && After(i) != 0) return device.queue(i);
  }
  return device.NextQueue(queues());
}

Status StreamAction::JoinOtherQueues(StreamQueue& queue) {
  for (uint32_t i = 0; i < stream_device().queue_count(); ++i) {
    const uint64_t epoch = After(i);
    if (epoch == 0 || i == queue.index()) continue;
    joins_ = true;
    if (Status status = stream_device().queue(i).MakeWait(queue.stream(), epoch); status != kOk) return status;
  }
  return kOk;
}

Status StreamAction::Enqueue(NativeStream stream) {
  if (profiled()) timing_.RecordStart(stream);
  Status status = kOk;
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_COMMAND:
    case HAL_QUEUE_OPERATION_TYPE_EXECUTE:
      status = replay_.Continue(stream);
      break;
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      status = static_cast<StreamBuffer*>(buffer())->CommitOn(stream);
      break;
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      status = static_cast<StreamBuffer*>(buffer())->DecommitOn(stream);
      break;
    default:
      break;
  }
  if (profiled()) {
    const MessageKeeper keeper;
    timing_.RecordEnd(stream);
  }
  return status;
}

void StreamAction::Prepare() {
  for (uint32_t i = 0; i < stream_device().queue_count(); ++i) after_[i].store(0, std::memory_order_relaxed);
  queue_ = nullptr;
  joins_ = false;
  start_ = 0;
  failure_.status = kOk;
  replay_.Clear();
  if (profiled()) timing_.Begin(stream_device().api(), stream_device().timed_events());
  Timing* const dispatches = profiled() && device().profiling().Wants(HAL_PROFILING_DISPATCHES) ? &timing_ : nullptr;
  if (type() == HAL_QUEUE_OPERATION_TYPE_COMMAND) {
    replay_.Begin(stream_device(), {&command(), 1}, {}, dispatches);
  } else if (type() == HAL_QUEUE_OPERATION_TYPE_EXECUTE) {
    const auto* const recording = static_cast<const StreamCommandBuffer*>(command_buffer());
    replay_.Begin(stream_device(), recording->commands(), table(), dispatches);
  }
}

void StreamAction::KeepFailure(Status status) noexcept { failure_ = Failure::FromThread(status); }

void StreamAction::Publish(StreamQueue& queue, uint64_t epoch) noexcept {
  const DrainScope scope;  // what this releases runs once the action is let go
  bool wanted = failure_.status != kOk || !replay_.finished();
  if (!wanted) {
    for (const Signal& signal : signals()) {
      StreamSemaphore* const own = stream_device().OwnSemaphore(signal.semaphore.get());
      wanted |= !own || own->AddPending({signal.value, queue.index(), epoch});
    }
  }
  if (wanted) queue.Arm(epoch);
  published_.store(true, std::memory_order_seq_cst);
}

void StreamAction::Retired() noexcept {
  if (failure_.status == kOk && !replay_.finished() && !device().health().lost()) {
    stream_device().host_work().Enqueue(this);  // the next stage, in Run()
    return;
  }
  Status status = device().health().Check();
  if (status == kOk && failure_.status != kOk) status = failure_.Raise();
  EndOnDevice(status);
}

void StreamAction::EndOnDevice(Status status) noexcept {
  uint64_t end = 0;
  if (profiled()) {
    const MessageKeeper keeper;
    const NativeScope scope(stream_device().api());
    end = MonotonicNanoseconds();
    if (scope.status() == kOk && queue_) {
      DeviceClock& clock = stream_device().clock();
      timing_.Read(clock, &start_, &end);
      timing_.Report(clock, device().profiling(), MakeRecord(), start_, end);
    }
    timing_.Clear();
  }
  replay_.Clear();
  Finish(start_, end, status);
}

Status StreamAction::RunOperation() {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return static_cast<StreamBuffer*>(buffer())->Commit();
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      static_cast<StreamBuffer*>(buffer())->Decommit();
      return kOk;
    case HAL_QUEUE_OPERATION_TYPE_READ:
    case HAL_QUEUE_OPERATION_TYPE_WRITE:
      return RunIo();
    default:
      return kOk;
  }
}

Status StreamAction::RunIo() {
  DeviceRange range;
  if (Status status = Resolve(io().buffer, {}, &range); status != kOk) return status;
  const auto transfer = [this](uint64_t skip, void* data, uint64_t length) { return TransferFile(skip, data, length); };
  if (void* data = static_cast<const StreamBuffer*>(io().buffer.buffer)->HostData(io().buffer.offset)) {
    return transfer(0, data, range.length);
  }
  const NativeScope scope(stream_device().api());
  if (scope.status() != kOk) return stream_device().Checked(scope.status());
  const bool reads = type() == HAL_QUEUE_OPERATION_TYPE_READ;
  return stream_device().Checked(stream_device().file_io().Transfer(reads, range, transfer));
}

void StreamAction::Recycle() noexcept {
  // The pool is the device's: it goes no earlier than the reference.
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<StreamDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::stream
