// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the work of a queue reaches its device: what a driver writes to get queues, timelines and retirement.
#ifndef HALYARD_SUBMISSION_LANE_H_
#define HALYARD_SUBMISSION_LANE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

class SubmissionAction;
class SubmissionQueue;

/// The device's side of one queue: a stream, a queue with a counter, a list that a thread works off.
///
/// Submissions of a lane are numbered: their *epochs* rise by one, from 1. An epoch is completed when all work up to it
/// is done, in the lane's own order. A wait is never handed over before the signal that it waits for was.
class Lane : public HostObject {
 public:
  /// What became of a submission.
  enum class Handed {
    kNothing,   ///< the device has heard nothing of it
    kInFlight,  ///< its end completes its epoch
    kDone,      ///< it is done already
  };

  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Makes what the first submission needs. May be called again after a failure.
  virtual Status Open() { return kOk; }
  /// Waits until the device uses nothing of the lane. No submission follows. Called again if the device was lost.
  virtual void Drain() noexcept = 0;

  /// The most operations that one submission takes; 64 are the most that it gets. If there are several, the first
  /// thread that has one hands all of them over when its own drain gets there: after the callbacks of the application
  /// that it calls first. So those delay other threads' operations too.
  virtual size_t max_batch() const { return 1; }
  /// Whether the lane calls OnProgress() whenever an epoch is completed, so that no thread has to sleep on it.
  virtual bool reports_progress() const { return false; }

  /// Hands operations over as the submission `epoch`, with mutex().
  ///
  /// The first operation tells what all of them come after: for each bit of its predecessors() except that of this
  /// queue, the epoch After(queue) of that queue. Submissions of other devices are the driver's own business
  /// (SubmissionAction::ComeAfterForeign()). The work of an operation that fails() is left out. KeepFailure() is for an
  /// operation of which only a part was handed over.
  ///
  /// If nothing was handed over, the failure is that of all operations, and the same epoch comes again. This may throw
  /// then. If something was handed over and this fails all the same, the end of the submission cannot be told, and the
  /// device counts as lost.
  virtual Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) = 0;

  /// The last epoch that is known as completed: some loads.
  virtual uint64_t Completed() const noexcept = 0;
  /// Whether an epoch is completed that Completed() does not tell of yet. Cheap if `again`: the caller asks again and
  /// again for some microseconds, and the lane may arrange for Completed() to tell. Takes no lock that Submit() holds.
  virtual bool Poll(uint64_t /*epoch*/, bool /*again*/) noexcept { return false; }
  /// Finds out whether an epoch is completed, at any price except blocking; see GiveUp(). What Completed() does not
  /// tell afterwards goes to SubmissionQueue::RaiseCompleted().
  virtual bool Query(uint64_t epoch) noexcept = 0;
  /// Sleeps until `epoch`, or an earlier one that is not known as completed, is; at most some 100 ms. Returns whether
  /// that is known now; false if this lane cannot sleep for it. On the completion thread. See GiveUp().
  virtual bool Sleep(uint64_t epoch) noexcept = 0;
  /// Work is in flight that no caller waits for: a lane whose device may be lost without a word looks after it. On the
  /// completion thread, some times a second. See GiveUp().
  virtual void Watch() noexcept {}

  /// Held while work is handed over, so that epochs reach the device in their order.
  std::mutex& mutex() { return mutex_; }
  SubmissionQueue& queue() const { return *queue_; }

 protected:
  Lane() = default;
  /// An epoch is completed. From any thread that may not call the vendor; costs no lock but the completion thread's.
  void OnProgress() noexcept;
  /// The device is not to be used any more, for the reason in this thread's message. With no lock.
  void GiveUp(Status status) noexcept;

 private:
  friend class SubmissionQueue;
  std::mutex mutex_;
  SubmissionQueue* queue_ = nullptr;  // set once, by the queue that owns the lane
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_LANE_H_
