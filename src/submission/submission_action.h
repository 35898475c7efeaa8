// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue operation of an asynchronous device.
#ifndef HALYARD_SUBMISSION_SUBMISSION_ACTION_H_
#define HALYARD_SUBMISSION_SUBMISSION_ACTION_H_

#include <array>
#include <atomic>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/operation_action.h"
#include "submission/pending_signals.h"
#include "submission/queue_point.h"

namespace halyard {

class SubmissionDevice;
class SubmissionQueue;
class SubmissionSemaphore;

/// An action of the device's pool. A driver derives from it and adds the work.
///
/// An operation of the device goes through these steps. Its waits become resolvable (OnReady()). Its work is handed to
/// a lane (Run(), which calls SubmissionQueue::Submit()). Its signals are published as pending, so that operations that
/// wait for them can be handed over too (Publish()). Once the device has completed it, it is ended (Retired()).
///
/// Work may consist of several *stages*: each ends where the host must read a result before the next one can be handed
/// over. Only the last stage publishes signals, because only then the operation cannot fail any more unless the device
/// is lost.
///
/// An operation that hands nothing over, such as a barrier, ends with its only predecessor, or at once.
///
/// Operations of the host (host calls, files, memory that the host must ask for) wait until their points are reached,
/// run on a worker, and signal from there.
class SubmissionAction : public OperationAction {
 public:
  SubmissionDevice& submission_device() const;
  void Run() noexcept final;

  /// @name Predecessors: the submissions that the operation must run after
  /// @{
  /// Adds a submission of this device. Thread-safe until OnReady().
  void ComeAfter(size_t queue, uint64_t epoch) noexcept;
  /// Adds all predecessors of `other`.
  void ComeAfterAll(const SubmissionAction& other) noexcept;
  /// Adds the submission that will signal `value` of a semaphore. The semaphore may belong to another device.
  void ComeAfterSignal(SubmissionSemaphore& semaphore, uint64_t value, const PendingSignal& signal) noexcept;
  /// The queues of the predecessors, a bit for each.
  uint64_t predecessors() const { return predecessors_.load(std::memory_order_relaxed); }
  /// The epoch of the last predecessor on a queue; 0 for none.
  uint64_t After(size_t queue) const {
    return (predecessors() >> queue & 1) != 0 ? after_[queue].load(std::memory_order_relaxed) : 0;
  }
  /// @}

  /// @name For a semaphore whose pending signal it depends on, with the semaphore's lock
  /// @{
  /// Returns the use of the action that FailUse() names. The next operation is another use.
  uint64_t AwaitFailure() noexcept {
    watched_.store(true, std::memory_order_relaxed);
    return use_;
  }
  /// The semaphore failed before the signal: makes the operation fail too, if the action is still in that use.
  void FailUse(uint64_t use, const Failure& failure) noexcept;
  /// @}

  /// @name For the queue that it is submitted to, and its lane
  /// @{
  /// For a batch that begins with the action.
  Gathering& batch() { return batch_; }
  /// Whether there is no work to hand over: the operation fails once its predecessors are completed.
  bool fails() const { return static_cast<bool>(failure_); }
  /// If it fails(): its failure.
  Status OwnFailure() const { return failure_.Share(); }
  /// Makes the operation fail with `status`, once the device has completed the part that was handed over.
  void KeepFailure(Status status) noexcept { failure_ = Failure(status); }
  /// Publishes the submission. The action may be in use for another operation, or destroyed, afterwards.
  void Publish(SubmissionQueue& queue, uint64_t epoch) noexcept;
  /// Fails the operation, of which nothing could be handed over. `status` is the reason. For the action
  /// afterwards, see Publish().
  void SubmitFailed(Status status) noexcept;
  /// Whether the action may be ended: it is published, and its outcome is known. While profiling, end_is_told() must
  /// also be true. On a lost device it only has to be published.
  bool may_end() const;
  /// Whether a signal before one of its own is another submission's, which it does not wait for: the application may
  /// know from the device itself that the other one has ended.
  bool lacks_edge() const { return lacks_edge_; }
  /// For an action that lacks_edge(): finds out how far such submissions are. It lacks_edge() no more afterwards,
  /// except if one is Before::kEnding.
  Before LookBefore() noexcept;
  /// The device has completed the submission: ends the operation or starts its next stage. For the action afterwards,
  /// see Publish().
  void Retired() noexcept;
  /// @}

 protected:
  ~SubmissionAction() = default;

  /// @name Implemented by the driver
  /// @{
  /// Whether the device executes the operation; otherwise a host thread does.
  virtual bool IsForDevice() const = 0;
  /// Executes the operation without the device, and returns whether that was possible. The operation then ends with its
  /// only predecessor `*after`, or at once if its epoch is 0. The driver may replace `*after`. Barriers are never
  /// passed.
  virtual bool RunWithoutLane(QueuePoint* /*after*/) noexcept { return false; }
  /// Prepares the next stage and passes it to SubmissionQueue::Submit(). If fails(), there is nothing to prepare.
  virtual Status SubmitStage(SubmissionQueue& queue);
  /// Whether another stage follows the one that was handed over.
  virtual bool has_more_stages() const { return false; }
  /// Whether CheckStage() may fail for the stage that was handed over.
  virtual bool checks_stage() const { return false; }
  /// Checks the results of a stage that the device has completed.
  virtual Status CheckStage() { return kOk; }
  /// Adds a submission of another device to the predecessors.
  virtual Status ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch);
  /// While profiling: whether the device has reported all that EndWork() needs. A later submission may show that this
  /// one is completed before the device reports on it. The lane calls OnProgress() when more is reported.
  virtual bool end_is_told() const { return true; }
  /// Frees what the work needed. The device has completed the work, or never received it. While profiling, the driver
  /// may set when the work began and ended, in nanoseconds.
  virtual void EndWork(uint64_t* start, uint64_t* end) noexcept = 0;
  /// @}

  /// The driver calls it after Capture() and before Defer().
  void Prepare() noexcept;
  /// For a driver that submits an operation at once instead of calling Defer(): withdraws it after a failure.
  void TakeBack(Status status) noexcept;
  /// For such a driver: sets the operation's queue.
  void ChooseQueue(SubmissionQueue& queue) noexcept;
  /// For such a driver: notes the start time for profiling.
  void NoteStart() noexcept;
  /// Returns the failure of a wait, if one is known.
  Status CheckOutcomes() const;

  void OnReady() noexcept override;
  void SignalAll() noexcept override;
  Status Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept override;

 private:
  void AwaitOutcome(SubmissionSemaphore& semaphore, uint64_t value) noexcept;
  static void OnOutcome(void* user_data, hal_status_t status, hal_string_view_t message);
  void KeepOutcome(const Failure& failure) noexcept;
  void KeepOutcomeLocked(const Failure& failure) noexcept;
  void ForgetOutcome() noexcept;
  bool conditional() const;

  bool SinglePredecessor(QueuePoint* out) const;
  bool NeedsNoLane(QueuePoint* out_after);
  void RunOnDevice() noexcept;
  Status SubmitNextStage();
  bool FailAfterOthers(const Failure& failure) noexcept;
  void EndOnDevice(Status status) noexcept;

  static constexpr uint32_t kQueues = kMaxQueues + kInteropQueues;

  std::atomic<uint64_t> predecessors_{0};  // a bit for each queue
  std::array<std::atomic<uint64_t>, kQueues> after_{};
  static_assert(kQueues < 64, "predecessors_ has a bit for each");
  // Waits that the device does itself, whose failure the host does not know yet; see action_outcomes.cpp.
  std::atomic<uint32_t> unknown_outcomes_{0};
  std::atomic<bool> must_fail_{false};    // outcome_ counts, even if others are unknown
  std::atomic<bool> has_outcome_{false};  // outcome_ is written, and stays
  std::atomic<bool> watched_{false};      // a semaphore refers to this use
  std::mutex outcome_mutex_;              // protects what follows; a leaf
  uint64_t use_ = 0;                      // read without it by the thread that works for this use
  Failure outcome_;                       // the first; read without it once has_outcome_ is true
  SubmissionQueue* queue_ = nullptr;      // once it is chosen
  Gathering batch_;                       // lent to the drain of the thread that submits it
  std::atomic<bool> published_{false};
  bool is_retired_ = false;  // it ends in the order of retirement
  bool lacks_edge_ = false;  // written before it is published, then by retirement
  uint64_t start_ = 0;       // nanoseconds; for profiling
  Failure failure_;          // of what was handed over, or could not be
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_ACTION_H_
