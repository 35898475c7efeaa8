// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/timing.h"

#include <algorithm>

#include "base/clock.h"
#include "driver_kit/object/vtable.h"

namespace halyard::stream {
namespace {

// Between two events that are done; 0 if that cannot be told. Two times that were each counted from the beginning of a
// long capture would not tell: the API gives milliseconds as a float, which after a minute means steps of microseconds.
uint64_t Nanoseconds(NativeApi& api, const DeviceEventRef& start, const DeviceEventRef& end) {
  float milliseconds = 0;
  if (!start || !end || !Succeeds(api.EventMilliseconds(start.native(), end.native(), &milliseconds))) return 0;
  return static_cast<uint64_t>(std::max(0.0, double{milliseconds} * 1e6));
}

}  // namespace

Status DeviceClock::Synchronize(NativeStream stream) {
  DeviceEventRef event;
  HAL_TRY(events_.Acquire(&event));
  HAL_TRY(api_.RecordEvent(event.native(), stream));
  const auto wait = [&] { return api_.SynchronizeEvent(event.native()); };
  HAL_TRY(TryTwice(wait));
  const std::lock_guard lock(mutex_);
  base_ = std::move(event);
  base_time_ = MonotonicNanoseconds();
  return kOk;
}

uint64_t DeviceClock::TimeOf(const DeviceEventRef& event) {
  const std::lock_guard lock(mutex_);
  float milliseconds = 0;
  if (!event || !base_ || !Succeeds(api_.EventMilliseconds(base_.native(), event.native(), &milliseconds))) return 0;
  const auto nanoseconds = static_cast<int64_t>(double{milliseconds} * 1e6);
  return base_time_ + static_cast<uint64_t>(nanoseconds);
}

void Timing::Clear() noexcept {
  start_ = {};
  end_ = {};
  dispatches_.clear();
  events_ = nullptr;
}

DeviceEventRef Timing::Record(NativeStream stream) {
  DeviceEventRef event;
  if (!Succeeds(Guard([&] { return events_->Acquire(&event); })) ||
      !Succeeds(api_->RecordEvent(event.native(), stream)))
    return {};
  return event;
}

void Timing::RecordStart(NativeStream stream) {
  if (!start_) start_ = Record(stream);
}

void Timing::RecordEnd(NativeStream stream) { end_ = Record(stream); }

void Timing::RecordDispatchStart(NativeStream stream, uint32_t command, const hal_export_info_t& info,
                                 hal_dim3_t count) {
  reports_last_ = Succeeds(Guard([&] {
    dispatches_.push_back({command, &info, count, Record(stream), {}});
    return kOk;
  }));
}

void Timing::RecordDispatchEnd(NativeStream stream) {
  if (reports_last_) dispatches_.back().end = Record(stream);
}

// The clocks are related to within some microseconds only; what the host knows for sure holds.
void Timing::Read(DeviceClock& clock, uint64_t* start, uint64_t* end) const {
  if (const uint64_t time = clock.TimeOf(start_)) *start = std::clamp(time, *start, *end);
  if (const uint64_t time = clock.TimeOf(end_)) *end = std::clamp(time, *start, *end);
}

void Timing::Report(DeviceClock& clock, ProfilingSession& session, OperationRecord record, uint64_t start,
                    uint64_t end) const {
  record.kind = HAL_PROFILING_RECORD_KIND_DISPATCH;
  for (const Dispatch& dispatch : dispatches_) {
    record.name = dispatch.info->name;
    record.command = dispatch.command;
    record.workgroup_count = dispatch.count;
    record.start_time = std::clamp(clock.TimeOf(dispatch.start), start, end);
    record.end_time = std::min(record.start_time + Nanoseconds(*api_, dispatch.start, dispatch.end), end);
    session.RecordDispatch(record);
  }
}

}  // namespace halyard::stream
