// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue operation on a stream device, from submission to end.
#ifndef HALYARD_STREAM_STREAM_ACTION_H_
#define HALYARD_STREAM_STREAM_ACTION_H_

#include <array>
#include <atomic>

#include "common/operation_action.h"
#include "common/status.h"
#include "stream/native_api.h"
#include "stream/stream_commands.h"
#include "stream/timing.h"

namespace halyard::stream {

class StreamDevice;
class StreamQueue;

/// The most queues of a device.
inline constexpr uint32_t kMaxQueues = 32;

/// Comes from the device's pool.
///
/// An operation of the device goes through these hands: its waits are *covered* (OnReady()), its work is put into a
/// stream (Run(), which is StreamQueue::Submit()), its signals are published as pending, so that what depends on them
/// can be put into streams as well (Publish()), and once the device is done it is ended (Retired()). A recording with
/// indirect dispatches does this in several *stages*: each ends where the host must know the counts of the next
/// dispatch; only the last one publishes, as only then nothing can fail any more without the device being lost.
///
/// Operations of the host (host calls, files, memory that the host must ask for) wait until their points are reached,
/// run on a worker, and signal from there.
class StreamAction final : public OperationAction {
 public:
  void Run() noexcept override;

  /// After Capture(), before Hold().
  void Prepare();

  /// The operation must come after a submission of this device. Thread-safe until OnReady().
  void ComeAfter(size_t queue, uint64_t epoch) noexcept;
  /// The last submission of a queue that it comes after; 0 for none.
  uint64_t After(size_t queue) const { return after_[queue].load(std::memory_order_relaxed); }

  /// @name For the queue that it is submitted to
  /// @{
  /// Makes the queue's stream wait for what it comes after in others.
  Status JoinOtherQueues(StreamQueue& queue);
  /// Whether that was anything.
  bool joins() const { return joins_; }
  /// Puts the next stage into a stream.
  Status Enqueue(NativeStream stream);
  /// Whether Enqueue() has put anything into the stream, also if it failed.
  bool has_enqueued() const { return replay_.has_enqueued(); }
  /// Enqueue() has failed half-way, with this thread's message: it ends so, once the device is done with the half.
  void KeepFailure(Status status) noexcept;
  /// Tells the world of the submission. The action may be gone afterwards.
  void Publish(StreamQueue& queue, uint64_t epoch) noexcept;
  /// Whether it has.
  bool published() const { return published_.load(std::memory_order_seq_cst); }
  /// The device is done with it. The action may be gone afterwards.
  void Retired() noexcept;
  /// @}

 protected:
  void OnReady() noexcept override;
  Status RunOperation() override;
  void Recycle() noexcept override;
  Status Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept override;

 private:
  StreamDevice& stream_device() const;
  bool IsForDevice() const;
  bool NeedsNothing() const;
  void RunOnDevice() noexcept;
  Status SubmitStage();
  Status RunIo();
  void EndOnDevice(Status status) noexcept;
  StreamQueue& ChooseQueue();

  // For each queue the last submission to come after; only as many as the device has are used.
  std::array<std::atomic<uint64_t>, kMaxQueues> after_{};
  StreamQueue* queue_ = nullptr;  // once it is chosen
  bool joins_ = false;
  std::atomic<bool> published_{false};
  uint64_t start_ = 0;  // nanoseconds; for profiling
  Failure failure_;     // of an Enqueue() that came half-way
  Replay replay_;       // COMMAND and EXECUTE
  Timing timing_;       // while profiling
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_ACTION_H_
