// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/stream_action.h"

#include <bit>

#include "base/clock.h"
#include "driver_kit/object/vtable.h"
#include "stream/device/stream_device.h"
#include "stream/device/stream_semaphore.h"
#include "stream/memory/stream_buffer.h"
#include "stream/memory/stream_file_io.h"
#include "stream/recording/stream_command_buffer.h"
#include "submission/test_points.h"

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
  StreamSemaphore* const known = stream_device().KnownSemaphore(point.semaphore);
  if (!known || !IsForDevice()) return OperationAction::Await(point, callback);
  return Guard([&] { return known->NotifyCovered(point.value, *this, callback); });
}

void StreamAction::ComeAfter(size_t queue, uint64_t epoch) noexcept {
  std::atomic<uint64_t>& after = after_[queue];
  uint64_t last = after.load(std::memory_order_relaxed);
  while (last < epoch && !after.compare_exchange_weak(last, epoch, std::memory_order_relaxed)) {
  }
  predecessors_.fetch_or(uint64_t{1} << queue, std::memory_order_relaxed);
}

void StreamAction::OnReady() noexcept {
  if (only_fails() || IsForDevice()) {
    DrainScope::Defer(this);
    return;
  }
  StreamDevice& device = stream_device();
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_HOST_CALL:
      return device.host_calls().Enqueue(this);
    case HAL_QUEUE_OPERATION_TYPE_READ:
    case HAL_QUEUE_OPERATION_TYPE_WRITE:
      return device.file_work().Enqueue(this);
    default:
      return device.host_work().Enqueue(this);
  }
}

void StreamAction::Run() noexcept {
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&device());
  if (only_fails()) return OperationAction::Run();
  if (IsForDevice()) return RunOnDevice();
  const SeparateDrain drain(&stream_device().callbacks());  // the worker's next item does not wait for others' work
  OperationAction::Run();
}

// The one submission that the operation comes after, or none; false if there are several.
bool StreamAction::SinglePredecessor(QueuePoint* out) const {
  *out = {};
  if (std::popcount(predecessors()) > 1) return false;
  if (predecessors() != 0) {
    const auto queue = static_cast<uint32_t>(std::countr_zero(predecessors()));
    *out = {queue, After(queue)};
  }
  return true;
}

// Whether the operation is carried out without a stream: it ends with `*out_after`.
bool StreamAction::TakesNoStream(QueuePoint* out_after) {
  if (uncertain()) return false;
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_BARRIER:
      return SinglePredecessor(out_after);
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return SinglePredecessor(out_after) && static_cast<StreamBuffer*>(buffer())->CommitKept(queues(), out_after);
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      return SinglePredecessor(out_after) && static_cast<StreamBuffer*>(buffer())->DecommitKept(*out_after);
    default:
      return false;
  }
}

void StreamAction::RunOnDevice() noexcept {
  if (profiled() && start_ == 0) start_ = MonotonicNanoseconds();
  Status status = CheckMayRun();
  if (status == kOk) status = CheckOutcomes();
  QueuePoint after;
  if (status == kOk && TakesNoStream(&after)) {
    if (after.epoch != 0) {
      set_queue(after.queue);
      published_.store(false, std::memory_order_relaxed);
      if (stream_device().queue(after.queue).Follow(*this, after.epoch)) return;  // Retired() ends it, or has done so
    }
  } else if (status == kOk) {
    status = Guard([this] { return SubmitStage(); });
    if (status == kOk) return;  // here, too
  }
  if (status == kOk || !FailAfterOthers(status)) EndOnDevice(status);
}

// A failure is told no earlier than the signals of what the operation comes after: they may move the same timelines.
// So it ends with that, doing nothing. False if there is nothing to wait for, or no way to.
bool StreamAction::FailAfterOthers(Status status) noexcept {
  if (status == HAL_STATUS_DEVICE_LOST || wait_failed() || device().health().lost()) return false;
  if (predecessors() == 0 && !uncertain()) return false;
  KeepFailure(status);
  published_.store(false, std::memory_order_relaxed);
  QueuePoint after;
  if (!uncertain() && SinglePredecessor(&after)) {
    set_queue(after.queue);
    return stream_device().queue(after.queue).Follow(*this, after.epoch);
  }
  const MessageKeeper keeper;
  return Guard([this] { return SubmitStage(); }) == kOk;
}

Status StreamAction::SubmitStage() {
  const NativeScope scope(stream_device().api());
  if (scope.status() != kOk) return stream_device().Checked(scope.status());
  if (!queue_) {
    queue_ = &ChooseQueue();
    set_queue(queue_->index());
  }
  published_.store(false, std::memory_order_relaxed);
  if (failure_.status != kOk) return stream_device().Checked(queue_->Submit(*this));
  if (Status status = replay_.PrepareStage(queue_->stream()); status != kOk) return stream_device().Checked(status);
  return stream_device().Checked(queue_->Submit(*this));
}

// The queue that the operation comes after anyway, so that the stream's order is all it takes; else the next in turn.
StreamQueue& StreamAction::ChooseQueue() {
  StreamDevice& device = stream_device();
  if (const uint64_t both = queues() & predecessors()) return device.queue(static_cast<size_t>(std::countr_zero(both)));
  return device.NextQueue(queues());
}

Status StreamAction::JoinOtherQueues(StreamQueue& queue) {
  if (Status status = MakeWait(queue.stream(), queue.index()); status != kOk) return status;
  foreign_.clear();  // what comes in later stages comes after this one
  return kOk;
}

// All but what was put into the queue `except`.
Status StreamAction::MakeWait(NativeStream stream, size_t except) {
  for (uint64_t others = predecessors() & ~(uint64_t{1} << except); others != 0; others &= others - 1) {
    const auto other = static_cast<size_t>(std::countr_zero(others));
    joins_ = true;
    if (Status status = stream_device().queue(other).MakeWait(stream, After(other)); status != kOk) return status;
  }
  for (const ForeignEdge& edge : foreign_) {
    if (Status status = stream_device().api().WaitEvent(stream, edge.event.native()); status != kOk) return status;
  }
  return kOk;
}

Status StreamAction::Enqueue(NativeStream stream) {
  if (failure_.status != kOk) return kOk;  // see FailAfterOthers()
  return guest_ ? EnqueueGuest(stream) : EnqueueOperation(stream);
}

Status StreamAction::EnqueueOperation(NativeStream stream) {
  if (profiled()) timing_.RecordStart(stream);
  // Nothing is thrown further: what is in the stream already has to be marked.
  const Status status = Guard([&] { return EnqueueWork(stream); });
  if (profiled()) {
    const MessageKeeper keeper;
    timing_.RecordEnd(stream);
  }
  return status;
}

Status StreamAction::EnqueueWork(NativeStream stream) {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_COMMAND:
    case HAL_QUEUE_OPERATION_TYPE_EXECUTE:
      return replay_.Continue(stream);
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return static_cast<StreamBuffer*>(buffer())->CommitOn(stream);
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      return static_cast<StreamBuffer*>(buffer())->DecommitOn(stream);
    default:
      return kOk;
  }
}

void StreamAction::Prepare() {
  for (uint64_t used = predecessors(); used != 0; used &= used - 1) {
    after_[static_cast<size_t>(std::countr_zero(used))].store(0, std::memory_order_relaxed);
  }
  predecessors_.store(0, std::memory_order_relaxed);
  queue_ = nullptr;
  guest_ = nullptr;
  joins_ = false;
  unknown_outcomes_.store(0, std::memory_order_relaxed);
  ForgetOutcome();
  start_ = 0;
  failure_.status = kOk;
  replay_.Clear();
  if (profiled()) timing_.Begin(stream_device().api(), stream_device().timed_events());
  Timing* const dispatches = profiled() && device().profiling().Wants(HAL_PROFILING_DISPATCHES) ? &timing_ : nullptr;
  if (type() == HAL_QUEUE_OPERATION_TYPE_COMMAND) {
    replay_.Begin(stream_device(), {&command(), 1}, {}, {}, dispatches);
  } else if (type() == HAL_QUEUE_OPERATION_TYPE_EXECUTE) {
    const auto* const recording = static_cast<const StreamCommandBuffer*>(command_buffer());
    replay_.Begin(stream_device(), recording->commands(), table(), recording->graphs(), dispatches);
  }
}

void StreamAction::KeepFailure(Status status) noexcept { failure_ = Failure::FromThread(status); }

void StreamAction::Publish(StreamQueue& queue, uint64_t epoch) noexcept {
  const DrainScope scope;  // what this releases runs once the action is let go
  bool wanted = failure_.status != kOk || !replay_.finished() || replay_.checks_counts();
  if (!wanted) {
    for (const Signal& signal : signals()) {
      StreamSemaphore* const own = stream_device().OwnSemaphore(signal.semaphore.get());
      wanted |= !own || own->AddPending({signal.value, queue.index(), epoch, uncertain()});
    }
  }
  if (wanted) queue.Arm(epoch);
  AtTestPoint();
  published_.store(true, std::memory_order_seq_cst);
}

void StreamAction::Retired() noexcept {
  if (failure_.status == kOk && !device().health().lost()) {
    if (Status status = replay_.CheckCounts(); status != kOk) KeepFailure(status);
  }
  if (failure_.status == kOk && !replay_.finished() && !device().health().lost() && CheckOutcomes() == kOk) {
    stream_device().host_work().Enqueue(this);  // the next stage, in Run()
    return;
  }
  Status status = device().health().Check();
  if (status == kOk) status = CheckOutcomes();
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
  if (void* data = static_cast<StreamBuffer*>(io().buffer.buffer)->GiveToHost(io().buffer.offset)) {
    return transfer(0, data, range.length);
  }
  const NativeScope scope(stream_device().api());
  if (scope.status() != kOk) return stream_device().Checked(scope.status());
  const bool reads = type() == HAL_QUEUE_OPERATION_TYPE_READ;
  return stream_device().Checked(stream_device().file_io().Transfer(reads, range, transfer));
}

void StreamAction::Recycle() noexcept {
  foreign_.clear();  // it refers to other devices
  // The pool is the device's: it goes no earlier than the reference.
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<StreamDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::stream
