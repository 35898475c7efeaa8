// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a stream device that its lanes, memory and command buffers share.
#ifndef HALYARD_STREAM_NATIVE_STREAM_CONTEXT_H_
#define HALYARD_STREAM_NATIVE_STREAM_CONTEXT_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/device_event.h"
#include "stream/native/epoch_counters.h"
#include "stream/native/host_registrations.h"
#include "stream/native/host_slots.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_options.h"
#include "stream/native/timing.h"
#include "submission/submission_device.h"

namespace halyard::stream {

class KeptGraphs;
class StreamMemory;

/// The device owns it, and makes and destroys it within a NativeScope. Its parts are destroyed in the reverse of their
/// order.
class StreamContext : public HostObject {
 public:
  StreamContext(SubmissionDevice& device, std::shared_ptr<NativeApi> api, const StreamDeviceOptions& options);
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;

  SubmissionDevice& device() const { return device_; }
  const hal_driver_interface_t& tables() const { return device_.tables(); }
  const hal_device_limits_t& limits() const { return *device_.info->limits; }
  /// See SubmissionDevice::Checked().
  Status Checked(Status status) noexcept { return device_.Checked(status); }
  /// Whether a submission is known as completed.
  bool IsCompleted(const QueuePoint& use) const {
    return use.epoch == 0 || device_.queue(use.queue).IsCompleted(use.epoch);
  }

  NativeApi& api() const { return *api_; }
  DeviceEventPool& events() { return events_; }
  DeviceEventPool& timed_events() { return timed_events_; }
  DeviceClock& clock() { return clock_; }
  HostSlots& slots() { return slots_; }
  EpochCounters& counters() { return counters_; }
  StreamMemory& memory() const { return *memory_; }
  void set_memory(StreamMemory* memory) { memory_ = memory; }
  KeptGraphs& kept_graphs() const { return *kept_graphs_; }
  void set_kept_graphs(KeptGraphs* graphs) { kept_graphs_ = graphs; }
  Status RegisterHost(void* memory, uint64_t length, void** out_registered, NativeAddress* out_address) {
    return api_->registrations().Acquire(api_, memory, length, out_registered, out_address);
  }
  void ReleaseHost(void* registered) noexcept { api_->registrations().Release(registered); }

  static constexpr size_t kMaxStreams = kMaxQueues + kInteropQueues;
  /// The stream of a lane that is open. Set once, before the lane's queue is open to others.
  NativeStream stream(size_t lane) const { return streams_[lane].load(std::memory_order_relaxed); }
  void set_stream(size_t lane, NativeStream stream) { streams_[lane].store(stream, std::memory_order_relaxed); }
  /// The lane of a stream of the device's own; kMaxStreams if it is none.
  size_t LaneOf(NativeStream stream) const {
    if (!stream) return kMaxStreams;
    const auto is_it = [stream](const auto& each) { return each.load(std::memory_order_relaxed) == stream; };
    return static_cast<size_t>(std::find_if(streams_.begin(), streams_.end(), is_it) - streams_.begin());
  }
  /// Whether a stream is the device's own, and so exists as long as the device.
  bool Owns(NativeStream stream) const { return LaneOf(stream) != kMaxStreams; }

  CommandBufferMode command_buffer_mode() const { return command_buffer_mode_; }
  /// Whether operations that are executed once run as graphs that the lanes keep.
  bool keeps_graphs() const {
    return command_buffer_mode_ == CommandBufferMode::kAuto && api_->traits().graphs_outrun_launches;
  }
  /// Which side reads the counts of indirect dispatches in graphs. The first call can take time.
  Status ChooseIndirectMode(IndirectMode* out_mode);

 private:
  SubmissionDevice& device_;
  const std::shared_ptr<NativeApi> api_;  // shared with its registrations
  const CommandBufferMode command_buffer_mode_;
  const IndirectChoice indirect_choice_;
  std::array<std::atomic<NativeStream>, kMaxStreams> streams_{};  // searched while a lane is opened
  DeviceEventPool events_;
  DeviceEventPool timed_events_;
  DeviceClock clock_;
  HostSlots slots_;
  EpochCounters counters_;
  StreamMemory* memory_ = nullptr;  // set once, before any other part works, as the next
  KeptGraphs* kept_graphs_ = nullptr;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_STREAM_CONTEXT_H_
