// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of the device for profiling, on the host's clock.
#ifndef HALYARD_STREAM_NATIVE_TIMING_H_
#define HALYARD_STREAM_NATIVE_TIMING_H_

#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"
#include "stream/native/device_event.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// Relates the device's events to the host's clock by one event whose time on both is known.
class DeviceClock {
 public:
  DeviceClock(NativeApi& api, DeviceEventPool& events) : api_(api), events_(events) {}

  /// Takes a new reference, on a stream that does nothing else. Within a NativeScope; blocks for some microseconds.
  Status Synchronize(NativeStream stream);
  /// When an event that is done was recorded, in nanoseconds of the monotonic clock; 0 if that cannot be told. Within a
  /// NativeScope.
  uint64_t TimeOf(const DeviceEventRef& event);

 private:
  NativeApi& api_;
  DeviceEventPool& events_;
  std::mutex mutex_;  // protects what follows; native calls are made under it
  DeviceEventRef base_;
  uint64_t base_time_ = 0;  // nanoseconds
};

/// The times of one operation and of its dispatches.
class Timing {
 public:
  /// Nothing is recorded before Begin(), and nothing after Clear().
  void Begin(NativeApi& api, DeviceEventPool& events) {
    api_ = &api;
    events_ = &events;
  }
  void Clear() noexcept;
  bool active() const { return events_ != nullptr; }

  /// Within a NativeScope. Failures leave a time out: profiling fails no operation.
  void RecordStart(NativeStream stream);
  void RecordEnd(NativeStream stream);
  void RecordDispatchStart(NativeStream stream, uint32_t command, const hal_export_info_t& info, hal_dim3_t count);
  void RecordDispatchEnd(NativeStream stream);

  /// Bounds of the operation on the device within [earliest, latest]; a bound that was not recorded stays as it is.
  void Read(DeviceClock& clock, uint64_t* start, uint64_t* end) const;
  /// Reports the dispatches, each within [start, end]. `record` has what they share.
  void Report(DeviceClock& clock, ProfilingSession& session, OperationRecord record, uint64_t start,
              uint64_t end) const;

 private:
  struct Dispatch {
    uint32_t command;
    const hal_export_info_t* info;
    hal_dim3_t count;
    DeviceEventRef start;
    DeviceEventRef end;
  };
  DeviceEventRef Record(NativeStream stream);

  DeviceEventPool* events_ = nullptr;
  NativeApi* api_ = nullptr;
  DeviceEventRef start_;
  DeviceEventRef end_;
  HostVector<Dispatch> dispatches_;
  bool reports_last_ = false;  // whether dispatches_ has the one that is being recorded
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_TIMING_H_
