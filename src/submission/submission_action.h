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

/// Comes from the device's pool. A driver derives from it and adds the work.
///
/// An operation of the device goes through these steps. Its waits become resolvable (OnReady()). Its work is handed to
/// a lane (Run(), which calls SubmissionQueue::Submit()). Its signals are published as pending, so that what depends on
/// them can be handed over as well (Publish()). Once the device has completed it, it is ended (Retired()).
///
/// Work may consist of several *stages*: each ends where the host must read a result before the next one can be handed
/// over. Only the last stage publishes signals, because only then the operation cannot fail any more unless the device
/// is lost.
///
/// An operation that hands nothing over, such as a barrier, ends with the one submission that it comes after, or at
/// once.
///
/// Operations of the host (host calls, files, memory that the host must ask for) wait until their points are reached,
/// run on a worker, and signal from there.
class SubmissionAction : public OperationAction {
 public:
  SubmissionDevice& submission_device() const;
  void Run() noexcept final;

  /// @name What it comes after
  /// @{
  /// The operation must come after a submission of this device. Thread-safe until OnReady().
  void ComeAfter(size_t queue, uint64_t epoch) noexcept;
  /// After all that `other` comes after.
  void ComeAfterAll(const SubmissionAction& other) noexcept;
  /// After a submission that will signal `value` of a semaphore, which may be another device's.
  void ComeAfterSignal(SubmissionSemaphore& semaphore, uint64_t value, const PendingSignal& signal) noexcept;
  /// The queues with submissions to come after, a bit for each.
  uint64_t predecessors() const { return predecessors_.load(std::memory_order_relaxed); }
  /// The last submission of a queue that it comes after; 0 for none.
  uint64_t After(size_t queue) const {
    return (predecessors() >> queue & 1) != 0 ? after_[queue].load(std::memory_order_relaxed) : 0;
  }
  /// @}

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

  /// @name For the queue that it is submitted to, and its lane
  /// @{
  /// Whether there is no work to hand over: the operation fails once what it comes after is completed.
  bool fails() const { return failure_.status != kOk; }
  /// If it fails(): its failure, with its message.
  Status RaiseFailure() const { return failure_.Raise(); }
  /// The operation fails, with this thread's message, once the device has completed what was handed over of it.
  void KeepFailure(Status status) noexcept { failure_ = Failure::FromThread(status); }
  /// Makes the submission known. The action may be gone afterwards.
  void Publish(SubmissionQueue& queue, uint64_t epoch) noexcept;
  /// Nothing of it could be handed over, for the reason in this thread's message. The action may be gone afterwards.
  void SubmitFailed(Status status) noexcept;
  /// Whether it is published, and all is known that tells how it ends; for a device that is lost nothing more has to
  /// be.
  bool may_end() const;
  /// The device has completed it. The action may be gone afterwards.
  void Retired() noexcept;
  /// @}

 protected:
  ~SubmissionAction() = default;

  /// @name What a driver says
  /// @{
  /// Whether the device carries the operation out; else a thread of the host does.
  virtual bool IsForDevice() const = 0;
  /// Carries the operation out without the device, if that is possible: it ends with `*after`, the only submission that
  /// it comes after (with epoch 0: at once), which this may replace by another one. Barriers need not be looked at.
  virtual bool RunWithoutLane(QueuePoint* /*after*/) noexcept { return false; }
  /// Prepares the next stage and hands it to `queue`, by SubmissionQueue::Submit(). There may be nothing to prepare, as
  /// fails() tells.
  virtual Status SubmitStage(SubmissionQueue& queue);
  /// Whether another stage follows the one that was handed over.
  virtual bool has_more_stages() const { return false; }
  /// Whether CheckStage() may fail for the stage that was handed over.
  virtual bool checks_stage() const { return false; }
  /// The device has completed a stage: whether its results are right.
  virtual Status CheckStage() { return kOk; }
  /// Adds a submission of another device, which `semaphore`'s owner is, to what the work comes after.
  virtual Status ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch);
  /// While profiling: whether the device has told all of a submission that EndWork() reports. A submission can be known
  /// as completed by what came after it; the lane calls OnProgress() when it tells more.
  virtual bool end_is_told() const { return true; }
  /// Frees what the work needed: the device has completed it, or was never given it. While profiling it may say when
  /// the work began and ended, in nanoseconds.
  virtual void EndWork(uint64_t* start, uint64_t* end) noexcept = 0;
  /// @}

  /// After Capture(), before Defer().
  void Prepare() noexcept;
  /// For a driver that submits an operation right now, in place of Defer(): takes it back after a failure.
  void TakeBack(Status status) noexcept;
  /// The same: the operation belongs to `queue` now.
  void ChooseQueue(SubmissionQueue& queue) noexcept;
  /// The same: it begins now, for profiling.
  void NoteStart() noexcept;
  /// The failure of a wait, as far as it is known.
  Status CheckOutcomes() const;

  void OnReady() noexcept override;
  Status Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept override;

 private:
  void AwaitOutcome(SubmissionSemaphore& semaphore, uint64_t value) noexcept;
  static void OnOutcome(void* user_data, hal_status_t status, hal_string_view_t message);
  void KeepOutcome(hal_status_t status, std::string_view message) noexcept;
  void KeepOutcomeLocked(hal_status_t status, std::string_view message) noexcept;
  void ForgetOutcome() noexcept;
  bool conditional() const;

  bool SinglePredecessor(QueuePoint* out) const;
  bool NeedsNoLane(QueuePoint* out_after);
  void RunOnDevice() noexcept;
  Status SubmitNextStage();
  bool FailAfterOthers(Status status) noexcept;
  void EndOnDevice(Status status) noexcept;

  static constexpr uint32_t kQueues = kMaxQueues + kInteropQueues;

  std::atomic<uint64_t> predecessors_{0};  // a bit for each queue
  std::array<std::atomic<uint64_t>, kQueues> after_{};
  static_assert(kQueues < 64, "predecessors_ has a bit for each");
  // Waits that the device does by itself while the host does not know yet whether they fail; see action_outcomes.cpp.
  std::atomic<uint32_t> unknown_outcomes_{0};
  std::atomic<bool> must_fail_{false};    // outcome_ counts, whatever is unknown yet
  std::atomic<bool> has_outcome_{false};  // outcome_ is written, and stays
  std::atomic<bool> watched_{false};      // a semaphore knows this use
  std::mutex outcome_mutex_;              // protects what follows; a leaf
  uint64_t use_ = 0;                      // read without it by the thread that works for this use
  Failure outcome_;                       // the first; read without it once has_outcome_ is true
  SubmissionQueue* queue_ = nullptr;      // once it is chosen
  std::atomic<bool> published_{false};
  uint64_t start_ = 0;  // nanoseconds; for profiling
  Failure failure_;     // of what was handed over, or could not be
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_ACTION_H_
