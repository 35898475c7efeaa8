// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/queue/metal_action.h"

#include <algorithm>
#include <utility>

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/operation.h"
#include "metal/memory/metal_buffer.h"
#include "metal/native/metal_calls.h"
#include "metal/queue/metal_lane.h"
#include "metal/queue/metal_queue_device.h"
#include "metal/recording/metal_command_buffer.h"
#include "metal/recording/metal_commands.h"

namespace halyard::metal {
namespace {

MetalLane& LaneOf(const SubmissionQueue& queue) { return static_cast<MetalLane&>(queue.lane()); }

uint64_t ToNanoseconds(double seconds) { return seconds > 0 ? static_cast<uint64_t>(seconds * 1e9) : 0; }

}  // namespace

MetalQueueDevice& MetalAction::metal_device() const { return static_cast<MetalQueueDevice&>(device()); }

void MetalAction::Prepare() {
  BlockAction::Prepare();
  submitted_to_ = nullptr;
  has_room_ = false;
  epoch_ = 0;
  if (profiled() && device().profiling().WantsDispatches()) times_.Begin();
}

std::string_view MetalAction::Name() const { return external_event_ ? "export_event" : SubmissionAction::Name(); }

BlockBuffer& MetalAction::block_buffer() const { return *static_cast<MetalBuffer*>(buffer()); }

Status MetalAction::SubmitStage(SubmissionQueue& queue) {
  HAL_TRY(SubmitMemory());
  if (!has_room_) {
    submitted_to_ = &queue;
    if (!LaneOf(queue).TakeRoom(*this)) return kOk;  // Run() comes again, and perhaps has come
    has_room_ = true;
  }
  return metal_device().Checked(queue.Submit(*this));
}

Status MetalAction::ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch) {
  const NativeSharedEvent event = LaneOf(device.queue(queue)).event();
  const std::lock_guard lock(foreign_mutex_);
  foreign_.push_back({Ref<hal_device_t>::Retaining(&device), event, epoch});
  return kOk;
}

Status MetalAction::Encode(MetalEncoding& encoding, MetalStaging& staging) {
  const CommandContext context{metal_device(), table(), encoding, staging};
  return Visit(type(), Overloaded{
                           [](operations::Barrier) { return kOk; },
                           [&](operations::Command) { return EncodeAlone(context, command(), times_); },
                           [&](operations::Execute) {
                             const auto& recorded = *static_cast<const MetalCommandBuffer*>(command_buffer());
                             return times_.active() ? recorded.EncodeTimed(context, commands(), times_)
                                                    : recorded.Encode(context, commands());
                           },
                           [](operations::Memory) { return kOk; },
                           [](operations::OfHost) { return kOk; },
                       });
}

// An operation that failed has not set the event on the device. One whose wait failed never got there.
void MetalAction::SettleExternalEvent() noexcept {
  if (!external_event_) return;
  const AutoreleaseScope scope;
  if (SignaledValue(external_event_.get()) < external_value_) SetSignaledValue(external_event_.get(), external_value_);
  external_event_ = {};
}

void MetalAction::EndWork(uint64_t* start, uint64_t* end) noexcept {
  if (has_room_) LaneOf(*submitted_to_).ReturnRoom();
  has_room_ = false;
  foreign_.clear();
  EndMemory();
  if (profiled()) ReportTimes(start, end);
}

bool MetalAction::end_is_told() const { return epoch_ == 0 || LaneOf(*submitted_to_).HasTimes(epoch_); }

// The clocks are related to within some microseconds only; what the host knows for sure holds.
void MetalAction::ReportTimes(uint64_t* start, uint64_t* end) noexcept {
  MetalLane::Times times;
  if (epoch_ != 0 && LaneOf(*submitted_to_).TakeTimes(epoch_, &times)) {
    *start = std::clamp(ToNanoseconds(times.start), *start, *end);
    *end = std::clamp(ToNanoseconds(times.end), *start, *end);
  }
  if (times_.active()) times_.Report(metal_device().clock(), device().profiling(), MakeRecord(), *start, *end);
  times_.Clear();
}

const RecordedCommands* MetalAction::recorded() const {
  return &static_cast<const MetalCommandBuffer*>(command_buffer())->recorded();
}

Status MetalAction::RunIo() {
  BufferRange range;
  HAL_TRY(Resolve(io().buffer, {}, &range));
  const auto& memory = *static_cast<const MetalBuffer*>(range.buffer);
  if (!memory.native() && range.length > 0) return FailOutsideLife();
  const auto transfer = [this](uint64_t skip, void* data, uint64_t length) { return TransferFile(skip, data, length); };
  if (memory.on_host()) return transfer(0, memory.HostPointer(range.offset), range.length);
  const bool reads = type() == HAL_QUEUE_OPERATION_TYPE_READ;
  return metal_device().file_io().Transfer(reads, memory, range.offset, range.length, transfer);
}

void MetalAction::Recycle() noexcept {
  SettleExternalEvent();  // where the operation failed before it had work
  foreign_.clear();       // it refers to other devices
  // The pool is the device's: it goes no earlier than the reference.
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<MetalQueueDevice*>(kept.get())->actions().Recycle(this);
}

}  // namespace halyard::metal
