// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When dispatches ran, for profiling: timestamps that the device takes at the ends of encoders.
#ifndef HALYARD_METAL_RECORDING_METAL_PROFILING_H_
#define HALYARD_METAL_RECORDING_METAL_PROFILING_H_

#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/trace/profiling_session.h"
#include "halyard/driver_api.h"
#include "metal/native/metal_traits.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// Relates the device's timestamps to the host's clock by two moments: the beginning of the session and now.
class MetalClock {
 public:
  explicit MetalClock(NativeDevice device) : device_(device) {}
  /// Takes the first moment.
  void Synchronize();
  /// Takes the second one.
  void Update();
  /// Nanoseconds of the host's clock; 0 if that cannot be told.
  uint64_t ToHost(uint64_t timestamp);

 private:
  struct Moment {
    uint64_t host = 0;    // nanoseconds
    uint64_t device = 0;  // its own unit
  };
  Moment Now() const;

  const NativeDevice device_;
  std::mutex mutex_;  // protects what follows; a leaf
  Moment first_;
  Moment last_;
};

/// The dispatches of one operation, each in an encoder of its own if it is timed. One without times is reported with
/// the beginning of its operation. Failures leave times out: profiling fails no operation.
class DispatchTimes {
 public:
  bool active() const { return active_; }
  void Begin() { active_ = true; }
  void Clear() noexcept;

  /// Makes room for dispatches. At most kMost are timed; none if the device has no counters for that, or Metal makes no
  /// room.
  void Reserve(NativeDevice device, const MetalTraits& traits, size_t count);
  /// Whether some are timed.
  bool has_room() const { return room_ > 0; }
  /// A dispatch comes next. Returns where its times go; NULL if they cannot be taken.
  NativeCounterSampleBuffer Add(uint32_t command, const hal_export_info_t& info, hal_dim3_t count,
                                uint32_t* out_sample);
  /// Reports the dispatches, each within [start, end]. `record` has what they share.
  void Report(MetalClock& clock, ProfilingSession& session, OperationRecord record, uint64_t start, uint64_t end) const;

 private:
  static constexpr size_t kMost = 2048;  // Metal's sample buffers have 32 KiB

  struct Dispatch {
    uint32_t command;
    const hal_export_info_t* info;
    hal_dim3_t count;
  };

  bool active_ = false;
  size_t room_ = 0;
  Owned<NativeCounterSampleBuffer> samples_;
  HostVector<Dispatch> dispatches_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_PROFILING_H_
