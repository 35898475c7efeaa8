// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lane of a stream API: a native stream, and how the host learns what it has completed.
#ifndef HALYARD_STREAM_QUEUE_STREAM_LANE_H_
#define HALYARD_STREAM_QUEUE_STREAM_LANE_H_

#include <atomic>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/device_event.h"
#include "stream/native/epoch_counters.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"
#include "stream/recording/kept_graphs.h"
#include "submission/lane.h"

namespace halyard::stream {

class StreamAction;

/// How a lane learns that a submission is completed.
enum class CompletionMode {
  kPortable,  ///< a host function on a second stream increments the counter and wakes the completion thread
  kFast,      ///< the stream itself writes the epoch, which wakes no thread
};

/// Each submission ends with the record of an event. The completion value is written after the record. So if the
/// counter includes an epoch, its work and its event are completed.
///
/// In fast mode not every epoch is written, because the write costs the host several times what the record does. A
/// write is issued for the newest submission when a thread polls for it, and for one submission in eight anyway. A poll
/// for an older epoch that was not written queries its event.
///
/// Locks: under mutex() native calls are made and `events_mutex_` is taken; under that, the mutex of the event pool.
class StreamLane final : public Lane {
 public:
  StreamLane(StreamContext& context, uint32_t index, CompletionMode mode)
      : context_(context),
        index_(index),
        mode_(mode),
        counters_(context.counters()),
        kept_(context.kept_graphs().OfLane(index)) {}
  /// Within a NativeScope, as Open().
  ~StreamLane() override;

  Status Open() override;
  void Drain() noexcept override;
  bool reports_progress() const override { return mode_ == CompletionMode::kPortable; }
  /// Within a NativeScope.
  Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) override;
  uint64_t Completed() const noexcept override { return counters_.Counter(index_).load(std::memory_order_seq_cst); }
  bool Poll(uint64_t epoch, bool again) noexcept override;
  bool Query(uint64_t epoch) noexcept override;

  /// From now on the application also puts work into the stream. Completion values are then written only with
  /// submissions.
  void Share() noexcept { shared_.store(true, std::memory_order_release); }
  NativeStream stream() const { return stream_; }
  /// The event of a submission that is in flight; false if it is completed.
  bool EventOf(uint64_t epoch, DeviceEventRef* out_event) const;
  /// Makes `stream` wait for a submission of this lane. Within a NativeScope.
  Status MakeWait(NativeStream stream, uint64_t epoch);

 private:
  friend class LaneDirectory;

  Status PrepareEvent(uint64_t epoch);
  Status EnqueueWork(StreamAction& action, size_t min_nodes, Handed* out_handed);
  Status MarkEnd(uint64_t epoch);
  Status WriteCompletion(uint64_t epoch);
  Status AwaitUnmarked(Handed* out_handed);
  bool RequestCompletion(uint64_t epoch) noexcept;
  /// Queries the event of a submission. Within a NativeScope.
  bool QueryEvent(uint64_t epoch) noexcept;
  /// Portable mode: called when a submission is completed.
  void OnCounted() noexcept;
  size_t Wrap(uint64_t epoch) const { return static_cast<size_t>(epoch) & (events_.size() - 1); }

  StreamContext& context_;
  const uint32_t index_;
  const CompletionMode mode_;
  EpochCounters& counters_;
  LaneGraphs& kept_;
  NativeStream stream_ = nullptr;
  NativeStream companion_ = nullptr;  // portable mode: where host functions run
  void* name_ = nullptr;              // portable mode: by which they find this lane

  std::atomic<uint64_t> newest_{0};   // the last epoch that was handed over; written with mutex()
  std::atomic<uint64_t> written_{0};  // the last epoch with a completion value; written with mutex()
  std::atomic<bool> shared_{false};   // the application puts work into the stream, too

  // Protects the events; they are changed with mutex() as well, so that a thread that has it reads them without.
  mutable std::mutex events_mutex_;
  HostVector<DeviceEventRef> events_;  // of epoch e at e modulo its size, a power of two, until it is completed
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_QUEUE_STREAM_LANE_H_
