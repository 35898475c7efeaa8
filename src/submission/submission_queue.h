// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One queue of an asynchronous device: its lane, its submissions in flight and its completion thread.
#ifndef HALYARD_SUBMISSION_SUBMISSION_QUEUE_H_
#define HALYARD_SUBMISSION_SUBMISSION_QUEUE_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"
#include "submission/completion_thread.h"
#include "submission/lane.h"
#include "submission/queue_point.h"

namespace halyard {

class SubmissionAction;
class SubmissionDevice;

/// The next action to be ended on a queue.
struct Oldest {
  uint64_t index = 0;  ///< its submission's place in the order of all submissions of the device
  SubmissionAction* action = nullptr;
};

/// A queue numbers the submissions of its lane from 1 (their *epochs*), and keeps them until they are retired.
///
/// An action without work for the device *follows* a submission: both are ended together. If the lane takes batches,
/// a thread collects the actions that its drain releases, and hands them over together, as one submission. The other
/// actions of a batch follow its first one.
///
/// Locks: the lane's mutex keeps the work of one submission together, and in the order of the epochs. Under it the
/// vendor is called and `ring_mutex_` is taken. `ring_mutex_` protects the ring of submissions in flight; it is a leaf.
/// The submitter writes a new entry of the ring without `ring_mutex_`; other threads use the
/// entry once `issued_` includes its epoch. No queue's lock is taken under another queue's.
class SubmissionQueue final : public HostObject, private CompletionService, private GatheringOwner {
 public:
  SubmissionQueue(SubmissionDevice& device, uint32_t index, std::unique_ptr<Lane> lane);
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;

  /// Opens the lane and starts the thread; after a failure it may be called again.
  Status Open();
  /// Drains the lane and ends the thread. Nothing may be in flight. The lane lives as long as the queue: threads of
  /// other queues may still query it, if the device could not be made as a whole.
  void Close() noexcept;

  SubmissionDevice& device() const { return device_; }
  uint32_t index() const { return index_; }
  Lane& lane() const { return *lane_; }

  /// Takes the action over and hands its work to the lane: now, or in a batch when this thread's drain reaches it. If
  /// the lane took nothing now, Submit() returns the failure, and the caller keeps the action.
  Status Submit(SubmissionAction& action);
  /// Takes over an action that ends with a submission of this queue. Returns false if that submission has ended.
  bool Follow(SubmissionAction& action, uint64_t epoch) noexcept;

  /// @name Completion
  /// @{
  /// Whether a submission is known as completed: a few loads.
  bool IsCompleted(uint64_t epoch) const { return CompletedEpoch() >= epoch; }
  /// The last epoch that is known as completed. It is never above the last one pushed, so a thread that sees an epoch
  /// finds its entry.
  uint64_t CompletedEpoch() const {
    const uint64_t issued = issued_.load(std::memory_order_acquire);
    if (abandoned_.load(std::memory_order_seq_cst)) return issued;
    const uint64_t told = lane_->Completed();
    return std::min(issued, std::max(told, raised_.load(std::memory_order_seq_cst)));
  }
  /// Marks the epochs up to `epoch` as completed, for a thread that knows more than Lane::Completed() tells.
  void RaiseCompleted(uint64_t epoch) noexcept;
  /// Polls whether a submission is completed, for a caller that polls repeatedly: see Lane::Poll().
  bool Poll(uint64_t epoch) noexcept { return IsCompleted(epoch) || lane_->Poll(epoch, true); }
  /// The same for a caller that may poll again much later.
  bool PollOnce(uint64_t epoch) noexcept { return IsCompleted(epoch) || lane_->Poll(epoch, false); }
  /// Finds out whether a submission is completed, at any cost except blocking.
  bool Query(uint64_t epoch) noexcept { return IsCompleted(epoch) || lane_->Query(epoch); }
  /// See Lane::IsEnding().
  bool IsEnding(uint64_t epoch) noexcept { return lane_->IsEnding(epoch); }
  /// The same as Query() for all that was submitted.
  bool QueryNewest() noexcept { return Query(issued_.load(std::memory_order_acquire)); }
  /// Whether nothing is in flight, as Poll() finds out.
  bool PollIdle() noexcept { return Poll(issued_.load(std::memory_order_acquire)); }
  /// @}

  /// Requests that a submission is retired as soon as it is completed, because a caller waits for it.
  void RequestNotification(uint64_t epoch) noexcept;
  /// The lane reports that an epoch is completed.
  void OnProgress() noexcept { thread_.Request(); }
  /// The device is lost: everything in flight counts as completed. That happens at once if the device is dead.
  /// Otherwise the completion thread drains the lane first.
  void Abandon(bool is_dead) noexcept;

  /// @name For Retirement, one thread at a time
  /// @{
  /// Whether all actions of the submissions up to `completed` are ended: one load.
  bool IsEnded(uint64_t completed) const { return first_.load(std::memory_order_relaxed) > completed; }
  /// Finds the next action to be ended, of the submissions up to `completed`. Returns false if there is none.
  bool FindOldest(uint64_t completed, Oldest* out) noexcept;
  /// Takes out the action that FindOldest() found. The caller ends it.
  void TakeOldest() noexcept;
  /// Whether a submission after `epoch` waited for other queues: one load.
  bool HasJoinAfter(uint64_t epoch) const { return last_join_.load(std::memory_order_acquire) > epoch; }
  /// Finds the first submission after `epoch`, up to `completed`, that waited for other queues. Its action is not ended
  /// yet. Returns false if there is none.
  bool FindJoin(uint64_t epoch, uint64_t completed, uint64_t* out_epoch, const SubmissionAction** out_action) const;
  /// @}

 private:
  /// A submission that has been handed to the lane.
  struct InFlight {
    uint64_t index = 0;
    SubmissionAction* action = nullptr;
    RunnableList followers;         // actions that end with it, after `action`
    bool notify_requested = false;  // the completion thread is to wait for it
    bool joins = false;             // it waited for submissions of other queues
  };
  Rest Serve() noexcept override;
  Rest ServeWith() noexcept;
  /// Finds the oldest submission after `after` that a caller waits for. `after` never falls.
  bool NextRequested(uint64_t after, uint64_t* epoch);
  /// Waits for a submission. Returns false if the thread has to poll again.
  bool AwaitRequested(uint64_t epoch) noexcept;
  void DrainAbandoned() noexcept;
  /// Checks whether the device still makes progress. Not called for every poll.
  void CheckProgress() noexcept;

  /// Hands over what a thread has collected, in batches.
  void RunGathered(RunnableList collected) noexcept override;
  Status SubmitBatch(std::span<SubmissionAction* const> batch);

  /// With ring_mutex_: whether an epoch has its place in the ring.
  bool IsInRing(uint64_t epoch) const {
    return epoch >= first_.load(std::memory_order_relaxed) && epoch <= issued_.load(std::memory_order_acquire);
  }
  void Push(std::span<SubmissionAction* const> batch, uint64_t epoch) noexcept;
  size_t Wrap(uint64_t epoch) const { return static_cast<size_t>(epoch) & (ring_.size() - 1); }
  void GrowRing();

  SubmissionDevice& device_;
  const uint32_t index_;
  std::unique_ptr<Lane> lane_;
  const size_t max_batch_;
  CompletionThread thread_;
  uint64_t polled_for_ = 0;  // the completion thread's: the last epoch that it spun for

  std::atomic<uint64_t> issued_{0};     // the last epoch; written with the lane's mutex
  std::atomic<uint64_t> last_join_{0};  // the last epoch that waited for other queues; written with the lane's mutex
  std::atomic<uint64_t> raised_{0};     // epochs that are known as completed by other means than the lane
  std::atomic<bool> given_up_{false};   // no submission follows, and the lane is to be drained
  std::atomic<bool> abandoned_{false};  // all that was issued counts as completed

  mutable std::mutex ring_mutex_;  // protects what follows, except the slot of the next epoch
  HostVector<InFlight> ring_;      // epoch e at e modulo its size, a power of two
  uint64_t first_request_ = 1;     // no earlier epoch is requested, so none is checked twice
  // Epoch of the oldest; the newest is issued_. Rises when that and all its followers are ended: what they signal is
  // signalled. Written with ring_mutex_ by Retirement.
  std::atomic<uint64_t> first_{1};
  uint64_t taken_ = 0;  // Retirement's: the last epoch whose action is taken out
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_QUEUE_H_
