// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/queue/stream_action.h"

#include <bit>

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/operation.h"
#include "driver_kit/trace/nvtx.h"
#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"
#include "stream/memory/stream_buffer.h"
#include "stream/queue/stream_file_io.h"
#include "stream/queue/stream_lane.h"
#include "stream/recording/stream_command_buffer.h"

namespace halyard::stream {
namespace {

StreamLane& LaneOf(const SubmissionQueue& queue) { return static_cast<StreamLane&>(queue.lane()); }

}  // namespace

StreamDevice& StreamAction::stream_device() const { return static_cast<StreamDevice&>(device()); }

StreamBuffer& StreamAction::memory() const { return *static_cast<StreamBuffer*>(buffer()); }

bool StreamAction::IsForDevice() const {
  return Visit(type(), Overloaded{
                           [&](operations::Memory) { return memory().stream_ordered(); },
                           [](operations::OfDevice) { return true; },
                           [](operations::OfHost) { return false; },
                       });
}

// Memory that is cached changes hands without a call of the API.
bool StreamAction::RunWithoutLane(QueuePoint* after) noexcept {
  return Visit(type(), Overloaded{
                           [](operations::Barrier) { return false; },
                           [](operations::Commands) { return false; },
                           [&](operations::Alloca) { return memory().CommitCached(queues(), after); },
                           [&](operations::Dealloca) { return memory().DecommitToCache(*after); },
                           [](operations::OfHost) { return false; },
                       });
}

Status StreamAction::SubmitStage(SubmissionQueue& queue) {
  StreamDevice& device = stream_device();
  const NvtxRange range(Name(), label());
  const NativeScope scope(device.api());
  Status status = scope.status();
  if (status == kOk && !fails()) status = replay_.PrepareStage(LaneOf(queue).stream());
  if (status == kOk) status = JoinAndSubmit(queue);
  return device.Checked(status);
}

// The waits are outside the lane's lock: that others' work in this stream waits as well does no harm.
Status StreamAction::JoinAndSubmit(SubmissionQueue& queue) {
  const uint64_t others = predecessors() & ~(uint64_t{1} << queue.index());
  HAL_TRY(MakeWait(LaneOf(queue).stream(), others));
  foreign_.clear();  // what comes in later stages comes after this one
  return queue.Submit(*this);
}

// For what was submitted to `queues`, and to other devices.
Status StreamAction::MakeWait(NativeStream stream, uint64_t queues) {
  for (; queues != 0; queues &= queues - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(queues));
    StreamLane& lane = LaneOf(stream_device().queue(index));
    HAL_TRY(lane.MakeWait(stream, After(index)));
  }
  for (const ForeignEdge& edge : foreign_) HAL_TRY(stream_device().api().WaitEvent(stream, edge.event.native()));
  return kOk;
}

Status StreamAction::ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch) {
  DeviceEventRef event;
  if (!LaneOf(device.queue(queue)).EventOf(epoch, &event)) return kOk;
  const std::lock_guard lock(foreign_mutex_);
  foreign_.push_back({Ref<hal_device_t>::Retaining(&device), std::move(event)});
  return kOk;
}

Status StreamAction::Enqueue(NativeStream stream, LaneGraphs& kept, size_t min_nodes) {
  if (fails()) return kOk;
  if (external_) return EnqueueExternal(stream);
  replay_.UseKept(kept, min_nodes);
  return EnqueueOperation(stream);
}

Status StreamAction::EnqueueOperation(NativeStream stream) {
  if (profiled()) timing_.RecordStart(stream);
  // Nothing is thrown further: what is in the stream already has to be marked.
  const Status status = Guard([&] { return EnqueueWork(stream); });
  if (profiled()) timing_.RecordEnd(stream);
  return status;
}

Status StreamAction::EnqueueWork(NativeStream stream) {
  return Visit(type(), Overloaded{
                           [](operations::Barrier) { return kOk; },
                           [&](operations::Commands) { return replay_.Continue(stream); },
                           [&](operations::Alloca) { return memory().CommitOn(stream); },
                           [&](operations::Dealloca) { return memory().DecommitOn(stream); },
                           [](operations::OfHost) { return kOk; },
                       });
}

void StreamAction::Prepare() {
  SubmissionAction::Prepare();
  external_ = nullptr;
  replay_.Clear();
  if (profiled()) timing_.Begin(stream_device().api(), stream_device().context().timed_events());
  Timing* const dispatches = profiled() && device().profiling().WantsDispatches() ? &timing_ : nullptr;
  StreamContext& context = stream_device().context();
  Visit(type(), Overloaded{
                    [](operations::Barrier) {},
                    [&](operations::Command) {
                      replay_.Begin(context, CommandList(&command(), 1), {}, {}, {}, dispatches);
                      const bool launches = command().type == HAL_COMMAND_TYPE_DISPATCH && !dispatches;
                      if (launches && context.keeps_graphs()) replay_.KeepGraphs();
                    },
                    [&](operations::Execute) {
                      const auto& recorded = *static_cast<const StreamCommandBuffer*>(command_buffer());
                      replay_.Begin(context, commands(), table(), numbers(), recorded.GraphsFor(table()), dispatches);
                      if (recorded.keeps_graphs() && !dispatches) replay_.KeepGraphs();
                    },
                    [](operations::Memory) {},
                    [](operations::OfHost) {},
                });
}

void StreamAction::EndWork(uint64_t* start, uint64_t* end) noexcept {
  if (profiled()) {
    const NativeScope scope(stream_device().api());
    if (scope.entered()) {
      DeviceClock& clock = stream_device().context().clock();
      timing_.Read(clock, start, end);
      timing_.Report(clock, device().profiling(), MakeRecord(), *start, *end);
    }
    timing_.Clear();
  }
  replay_.Clear();
}

const RecordedCommands* StreamAction::recorded() const {
  return &static_cast<const StreamCommandBuffer*>(command_buffer())->recorded();
}

Status StreamAction::RunOperation() {
  return Visit(type(),
               Overloaded{
                   [](operations::Barrier) { return kOk; }, [](operations::Commands) { return kOk; },
                   [&](operations::Alloca) { return memory().Commit(); },
                   [&](operations::Dealloca) {
                     memory().Decommit();
                     return kOk;
                   },
                   [&](operations::Io) { return RunIo(); }, [](operations::HostCall) { return kOk; },  // Run() calls it
               });
}

Status StreamAction::RunIo() {
  DeviceRange range;
  if (Status status = Resolve(io().buffer, {}, &range); status != kOk) return status;
  const auto transfer = [this](uint64_t skip, void* data, uint64_t length) { return TransferFile(skip, data, length); };
  if (void* data = static_cast<StreamBuffer*>(io().buffer.buffer)->GiveToHost(io().buffer.offset)) {
    return transfer(0, data, range.length);
  }
  const NativeScope scope(stream_device().api());
  if (!scope.entered()) return stream_device().Checked(scope.status());
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
