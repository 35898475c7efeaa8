// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/external_streams.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/application_call.h"
#include "base/clock.h"
#include "base/drain_scope.h"
#include "base/thread_local.h"
#include "driver_kit/object/vtable.h"
#include "stream/device/stream_device.h"
#include "submission/submission_semaphore.h"

namespace halyard::stream {
namespace {

/// What a thread has begun.
struct BegunStream : HostObject {
  StreamDevice* device;
  Ref<hal_device_t> kept;
  NativeStream stream;
  int depth;  // ApplicationScope::Depth(), within which it was begun
};
/// NULL if there is none.
HALYARD_READ_BY_EVERY_CALL constinit thread_local BegunStream* t_begun = nullptr;

/// A thread that ends has ended its stream.
struct BegunStreamEnd {
  void Arm() {}  // using it is what registers the destructor
  ~BegunStreamEnd() { delete std::exchange(t_begun, nullptr); }
};
thread_local BegunStreamEnd t_end;

hal_queue_operation_t Join(hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  hal_queue_operation_t operation{};
  operation.struct_size = sizeof(operation);
  operation.type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
  operation.queues = 1;  // none is used, but an operation names one
  operation.wait_list = waits;
  operation.signal_list = signals;
  return operation;
}

// An event's failure may be that of its own device, which need not be this one.
Status CheckEvent(StreamDevice& device, NativeEvent event) {
  bool done = false;
  const Status status = device.api().QueryEvent(event, &done);
  if (status.code() != HAL_STATUS_DEVICE_LOST) return status;
  DeviceEventRef own;
  Status mine = device.context().events().Acquire(&own);
  if (mine == kOk) mine = device.api().QueryEvent(own.native(), &done);
  device.Checked(mine).Ignore();
  return status;
}

Status CheckFits(const StreamAction& action, hal_queue_operation_type_t type) {
  if (action.fits_stream()) return kOk;
  const bool recording = type == HAL_QUEUE_OPERATION_TYPE_COMMAND || type == HAL_QUEUE_OPERATION_TYPE_EXECUTE;
  return Fail(HAL_STATUS_UNIMPLEMENTED,
              "%s cannot go into a stream of the application, as the host has a part in it: submit it to a queue",
              recording ? "an indirect dispatch" : "a host call, a read or write, or an allocation that the host sees");
}

Status Submit(StreamDevice& device, const ExternalWork& work, const hal_queue_operation_t& operation) {
  auto action = ActionPool<StreamAction>::Handle(nullptr, {&device.actions()});
  auto buffer = Ref<hal_buffer_t>();
  HAL_TRY(device.MakeAction(operation, &action, &buffer));
  Status status = action.release()->SubmitExternal(work, operation);
  if (status == kOk && buffer) *operation.u.allocate.out_buffer = buffer.release();
  return status;
}

}  // namespace

Status ImportEvent(StreamDevice& device, NativeEvent event, hal_semaphore_list_t signals) {
  const DrainScope drain;  // what this brings about may give up the device
  HAL_TRY(device.health().Check());
  const NativeScope scope(device.api());
  if (!scope.entered()) return device.Checked(scope.status());
  HAL_TRY(CheckEvent(device, event));
  return Submit(device, {ExternalWork::Kind::kAwaitEvent, event, nullptr}, Join({}, signals));
}

Status ExportEvent(StreamDevice& device, hal_semaphore_list_t waits, NativeEvent event) {
  const DrainScope drain;  // what this brings about may give up the device
  HAL_TRY(device.health().Check());
  const NativeScope scope(device.api());
  if (!scope.entered()) return device.Checked(scope.status());
  device.TellsApplication();
  return Submit(device, {ExternalWork::Kind::kRecordEvent, event, nullptr}, Join(waits, {}));
}

Status SubmitOnStream(StreamDevice& device, NativeStream stream, const hal_queue_operation_t& operation) {
  const DrainScope drain;  // what this brings about may give up the device
  HAL_TRY(device.health().Check());
  const NativeScope scope(device.api());
  if (!scope.entered()) return device.Checked(scope.status());
  if (Status status = device.api().CheckExternalStream(stream); status != kOk) return device.Checked(status);
  device.TellsApplication();
  return Submit(device, {ExternalWork::Kind::kUseStream, nullptr, stream}, operation);
}

Status JoinStream(StreamDevice& device, NativeStream stream, hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
  return SubmitOnStream(device, stream, Join(waits, signals));
}

Status BeginStream(StreamDevice& device, NativeStream stream) {
  if (t_begun) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "this thread has begun a stream already: end that one first");
  }
  HAL_TRY(device.health().Check());
  const NativeScope scope(device.api());
  if (!scope.entered()) return device.Checked(scope.status());
  if (Status status = device.api().CheckExternalStream(stream); status != kOk) return device.Checked(status);
  auto begun = std::make_unique<BegunStream>();
  begun->device = &device;
  begun->kept = Ref<hal_device_t>::Retaining(&device);
  begun->stream = stream;
  begun->depth = ApplicationScope::Depth();
  t_end.Arm();
  t_begun = begun.release();
  return kOk;
}

Status EndStream(StreamDevice& device) {
  if (!t_begun || t_begun->device != &device) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "this thread has begun no stream of the device");
  }
  delete std::exchange(t_begun, nullptr);
  return kOk;
}

bool HasBegunStream(const StreamDevice& device, NativeStream* out_stream) {
  if (!t_begun) [[likely]]
    return false;
  // What a callback submits that happens to be called here goes where it would go from any other thread.
  if (t_begun->device != &device || t_begun->depth != ApplicationScope::Depth()) return false;
  *out_stream = t_begun->stream;
  return true;
}

// --- The action's part -----------------------------------------------------------------------------------------------

Status StreamAction::SubmitExternal(const ExternalWork& work, const hal_queue_operation_t& operation) {
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&device());
  external_ = &work;
  Begin();
  Status status = CheckMayRun();
  if (status == kOk) status = Guard([&] { return EnterStream(work, operation); });
  if (status == kOk) return kOk;
  external_ = nullptr;
  TakeBack(status.Share());
  return status;
}

Status StreamAction::EnterStream(const ExternalWork& work, const hal_queue_operation_t& operation) {
  StreamDevice& device = stream_device();
  HAL_TRY(CheckFits(*this, operation.type));
  NoteStart();
  for (size_t i = 0; i < operation.wait_list.count; ++i) {
    if (Status status = ResolveWait(operation.wait_list.points[i]); status != kOk) {
      std::array<char, 48> place;
      std::snprintf(place.data(), place.size(), "wait_list.points[%zu]: ", i);
      return Annotate(status, place.data());
    }
  }
  HAL_TRY(CheckOutcomes());
  if (work.kind == ExternalWork::Kind::kUseStream) {
    if (Status status = MakeWait(work.stream, predecessors()); status != kOk) return device.Checked(status);
  }
  // What is to be signalled before comes before: events and streams of one order may come in by different queues.
  for (const Signal& signal : signals()) {
    PendingSignal last;
    SubmissionSemaphore* const own = device.OwnSemaphore(signal.semaphore.get());
    if (own && own->LastPending(&last)) ComeAfter(last.queue, last.epoch);
  }
  SubmissionQueue* queue = nullptr;
  if (Status status = device.TakeInteropQueue(work.stream, &queue); status != kOk) return device.Checked(status);
  ChooseQueue(*queue);
  if (Status status = replay_.PrepareStage(work.stream); status != kOk) return device.Checked(status);
  return device.Checked(JoinAndSubmit(*queue));
}

Status StreamAction::ResolveWait(const hal_timeline_point_t& point) {
  if (SubmissionSemaphore* const known = stream_device().KnownSemaphore(point.semaphore)) {
    return known->Resolve(point.value, *this);
  }
  uint64_t now = 0;
  const auto* const table = static_cast<const hal_semaphore_vtable_t*>(point.semaphore->object.vtable);
  Failure failure(FromC(table->query(point.semaphore, &now)));
  if (now >= point.value) return kOk;
  if (failure) return failure.Take();
  return Fail(HAL_STATUS_FAILED_PRECONDITION,
              "the semaphore, of another driver, stands at %" PRIu64 " and not at %" PRIu64
              " yet: wait for it on the host",
              now, point.value);
}

// With the mutex of the interop queue's lane, whose stream this is.
Status StreamAction::EnqueueExternal(NativeStream stream) {
  const ExternalWork& work = *std::exchange(external_, nullptr);
  NativeApi& api = stream_device().api();
  if (work.kind == ExternalWork::Kind::kAwaitEvent) return api.WaitEvent(stream, work.event);
  if (work.kind == ExternalWork::Kind::kRecordEvent) return api.RecordEvent(work.event, stream);
  DeviceEventRef done;
  HAL_TRY(stream_device().context().events().Acquire(&done));
  Failure half_way(EnqueueOperation(work.stream));
  if (half_way && !has_enqueued()) return half_way.Take();
  // Not waited for on the host instead: only the application knows when its stream gets there.
  Status joined = TryTwice([&] { return api.RecordEvent(done.native(), work.stream); });
  if (joined == kOk) joined = TryTwice([&] { return api.WaitEvent(stream, done.native()); });
  if (joined == kOk) return half_way.Take();
  // Work whose end cannot be told is as bad as a device that is gone.
  const Failure lost(joined);
  return FailWith(HAL_STATUS_DEVICE_LOST, lost.message());
}

}  // namespace halyard::stream
