// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue operation on a stream device, from submission to end.
#ifndef HALYARD_STREAM_DEVICE_STREAM_ACTION_H_
#define HALYARD_STREAM_DEVICE_STREAM_ACTION_H_

#include <array>
#include <atomic>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "driver_kit/queue/operation_action.h"
#include "stream/native/device_event.h"
#include "stream/native/native_api.h"
#include "stream/native/timing.h"
#include "stream/recording/stream_commands.h"
#include "submission/pending_signals.h"
#include "submission/queue_point.h"

namespace halyard::stream {

class StreamDevice;
class StreamQueue;
class StreamSemaphore;
struct GuestWork;

/// The most queues of a device.
inline constexpr uint32_t kMaxQueues = 32;
/// Queues beside those, for what comes from streams and events of the application. Several, so that one that takes long
/// holds up few others.
inline constexpr uint32_t kGuestQueues = 4;

/// Comes from the device's pool.
///
/// An operation of the device goes through these hands: its waits are *covered* (OnReady()), its work is put into a
/// stream (Run(), which is StreamQueue::Submit()), its signals are published as pending, so that what depends on them
/// can be put into streams as well (Publish()), and once the device is done it is ended (Retired()). A recording with
/// indirect dispatches does this in several *stages*: each ends where the host must know the counts of the next
/// dispatch; only the last one publishes, as only then nothing can fail any more without the device being lost. Where
/// the device reads counts by itself, and may reject them, none does.
/// An operation that puts nothing into a stream, as memory that is kept changes hands, ends with the one submission
/// that it comes after, or at once.
///
/// Operations of the host (host calls, files, memory that the host must ask for) wait until their points are reached,
/// run on a worker, and signal from there.
class StreamAction final : public OperationAction {
 public:
  StreamDevice& stream_device() const;
  void Run() noexcept override;

  /// After Capture(), before Hold().
  void Prepare();
  /// Instead of Hold(): submits now, by way of a guest queue. If that fails nothing was submitted,
  /// and the signals hear nothing of it. FAILED_PRECONDITION if a wait is not covered. Within a NativeScope.
  Status SubmitAsGuest(const GuestWork& work, const hal_queue_operation_t& operation);

  /// The operation must come after a submission of this device. Thread-safe until OnReady().
  void ComeAfter(size_t queue, uint64_t epoch) noexcept;
  /// The same, of a submission that will signal `value` of a semaphore, which may be another device's.
  void ComeAfterSignal(StreamSemaphore& semaphore, uint64_t value, const PendingSignal& signal) noexcept;
  /// @name For a semaphore whose signal it comes after, with the semaphore's lock
  /// @{
  /// The use of the action that is to hear of a failure; the next operation is another one.
  uint64_t AwaitFailure() noexcept {
    watched_.store(true, std::memory_order_relaxed);
    return use_;
  }
  /// The semaphore has failed before its signal: the operation fails as well, if it is still that use of the action.
  void FailUse(uint64_t use, const Failure& failure) noexcept;
  /// @}
  /// The last submission of a queue that it comes after; 0 for none.
  uint64_t After(size_t queue) const {
    return (predecessors() >> queue & 1) != 0 ? after_[queue].load(std::memory_order_relaxed) : 0;
  }

  /// @name For the queue that it is submitted to
  /// @{
  /// Makes the queue's stream wait for what it comes after in others.
  Status JoinOtherQueues(StreamQueue& queue);
  /// Whether that was anything.
  bool joins() const { return joins_; }
  /// Puts the next stage into a stream.
  Status Enqueue(NativeStream stream);
  /// Whether it can be put into a stream as a whole, with no step of the host in between.
  bool fits_stream() const { return IsForDevice() && !replay_.needs_host(); }
  /// Whether Enqueue() has put anything into the stream, also if it failed.
  bool has_enqueued() const { return replay_.has_enqueued(); }
  /// Enqueue() has failed half-way, with this thread's message: it ends so, once the device is done with the half.
  void KeepFailure(Status status) noexcept;
  /// Tells the world of the submission. The action may be gone afterwards.
  void Publish(StreamQueue& queue, uint64_t epoch) noexcept;
  /// Whether it has, and all is known that tells how it ends; for a device that is lost nothing more has to be.
  bool may_end() const;
  /// The device is done with it. The action may be gone afterwards.
  void Retired() noexcept;
  /// @}

 protected:
  void OnReady() noexcept override;
  Status RunOperation() override;
  void Recycle() noexcept override;
  Status Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept override;

 private:
  /// A submission of another device.
  struct ForeignEdge {
    Ref<hal_device_t> device;
    DeviceEventRef event;  // of the device
  };

  void AwaitOutcome(StreamSemaphore& semaphore, uint64_t value) noexcept;
  static void OnOutcome(void* user_data, hal_status_t status, hal_string_view_t message);
  void KeepOutcome(hal_status_t status, std::string_view message) noexcept;
  void KeepOutcomeLocked(hal_status_t status, std::string_view message) noexcept;
  void ForgetOutcome() noexcept;
  bool uncertain() const;
  Status CheckOutcomes() const;
  uint64_t predecessors() const { return predecessors_.load(std::memory_order_relaxed); }
  bool IsForDevice() const;
  bool SinglePredecessor(QueuePoint* out) const;
  bool TakesNoStream(QueuePoint* out_after);
  void RunOnDevice() noexcept;
  Status SubmitStage();
  bool FailAfterOthers(Status status) noexcept;
  Status EnterStream(const GuestWork& work, const hal_queue_operation_t& operation);
  Status Cover(const hal_timeline_point_t& point);
  Status MakeWait(NativeStream stream, size_t except);
  Status EnqueueOperation(NativeStream stream);
  Status EnqueueWork(NativeStream stream);
  Status EnqueueGuest(NativeStream stream);
  Status RunIo();
  void EndOnDevice(Status status) noexcept;
  StreamQueue& ChooseQueue();

  // The queues with submissions to come after, a bit for each, and the last of them.
  std::atomic<uint64_t> predecessors_{0};
  std::array<std::atomic<uint64_t>, kMaxQueues + kGuestQueues> after_{};
  static_assert(kMaxQueues + kGuestQueues < 64, "predecessors_ has a bit for each");
  // Waits that the device does by itself while the host does not know yet whether they fail; see stream_edges.cpp.
  std::atomic<uint32_t> unknown_outcomes_{0};
  std::atomic<bool> must_fail_{false};    // outcome_ counts, whatever is unknown yet
  std::atomic<bool> has_outcome_{false};  // outcome_ is written, and stays
  std::atomic<bool> watched_{false};      // a semaphore knows this use
  std::mutex edges_mutex_;                // protects what follows; a leaf
  uint64_t use_ = 0;                      // read without it by who works for this use
  HostVector<ForeignEdge> foreign_;       // read without it once nobody adds any more
  Failure outcome_;                       // the first; read without it once has_outcome_ is true
  StreamQueue* queue_ = nullptr;          // once it is chosen
  const GuestWork* guest_ = nullptr;      // until Enqueue()
  bool joins_ = false;
  std::atomic<bool> published_{false};
  uint64_t start_ = 0;  // nanoseconds; for profiling
  Failure failure_;     // of an Enqueue() that came half-way
  Replay replay_;       // COMMAND and EXECUTE
  Timing timing_;       // while profiling
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_STREAM_ACTION_H_
