// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between a queue and its device. A driver that implements it gets queues, timelines and retirement.
#ifndef HALYARD_SUBMISSION_LANE_H_
#define HALYARD_SUBMISSION_LANE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/clock.h"
#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

class SubmissionAction;
class SubmissionQueue;

/// The device's side of one queue: a stream, a queue with a counter, or a list that a thread executes.
///
/// **Epochs.** SubmissionQueue numbers the submissions of a lane: their *epochs* rise by one, from 1. An epoch is
/// completed when all work up to it is done, in the lane's own order. The submissions that a submission waits for were
/// handed over before it.
///
/// **Threads.** Any thread may call Submit(), one at a time, because its caller holds mutex(). Any thread may call
/// Completed(), Poll(), Query() and Block(), also several threads at once. Only the completion thread calls Sleep() and
/// Watch(). Poll(), Query(), Sleep(), Block() and Watch() are called without mutex().
class Lane : public HostObject {
 public:
  /// The result of Submit().
  enum class Handed {
    kNothing,   ///< the device received nothing
    kInFlight,  ///< the device received work; its end completes the epoch
    kDone,      ///< the epoch is completed already
  };

  virtual ~Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Creates what the first submission needs. After a failure it may be called again.
  virtual Status Open() { return kOk; }
  /// Waits until the device uses nothing of the lane. No submission follows. If the device is lost, the completion
  /// thread may call it first. The device's destructor calls it in every case, even if Open() was never called.
  virtual void Drain() noexcept = 0;

  /// The most operations that one submission takes; the queue passes 64 at most. If it is above 1, the queue collects
  /// operations, and the thread with the first one hands all of them over in its drain (base/drain_scope.h). Callbacks
  /// of the application that this thread runs before that delay the operations of other threads too.
  virtual size_t max_batch() const { return 1; }
  /// Whether the lane calls OnProgress() whenever an epoch is completed. Then Sleep() is never called.
  virtual bool reports_progress() const { return false; }

  /// Hands operations to the device as the submission `epoch`. The caller holds mutex().
  ///
  /// - Waits: `batch[0]` has those of the whole batch. For each bit of its predecessors(), the work must wait for the
  ///   epoch After(queue) of that queue. A lane whose work runs in the order of its epochs skips its own queue's bit.
  ///   The driver itself adds waits for other devices; see SubmissionAction::ComeAfterForeign().
  /// - Failed operations: Submit() hands over no work of an operation that fails(). If only a part of an operation was
  ///   handed over, Submit() calls its KeepFailure().
  /// - Result: `*out_handed` is kNothing at entry. If it stays kNothing, Submit() must return a failure, or throw. All
  ///   operations of the batch then fail with it, and the next call has the same epoch.
  /// - A failure after work was handed over means that the lane cannot report the end of the submission. The device
  ///   then counts as lost.
  virtual Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) = 0;

  /// Returns the last epoch that is known as completed. It costs a few loads and takes no lock.
  virtual uint64_t Completed() const noexcept = 0;
  /// Returns whether an epoch above Completed() is completed. If `again` is true, the caller polls repeatedly for some
  /// microseconds: the call must be cheap, and the lane may make Completed() report the epoch. Poll() must not wait for
  /// a lock that Submit() holds.
  virtual bool Poll(uint64_t /*epoch*/, bool /*again*/) noexcept { return false; }
  /// Finds out whether an epoch is completed, at any cost except blocking. If it is, and Completed() stays below it,
  /// the lane calls SubmissionQueue::RaiseCompleted(). If the device is lost, the lane calls GiveUp().
  virtual bool Query(uint64_t epoch) noexcept = 0;
  /// For an epoch that is not completed: whether the device has come to its end, and the lane has yet to hear how it
  /// ended. OnProgress() follows then.
  virtual bool IsEnding(uint64_t /*epoch*/) noexcept { return false; }
  /// Blocks the completion thread until `epoch`, or an earlier epoch not known as completed, is completed; for some
  /// 100 ms at most, as the end of the process waits for it. Returns whether such an epoch is known as completed now. A
  /// lane whose vendor has no wait with a limit returns false at once: the completion thread then polls. If the device
  /// is lost, the lane calls GiveUp().
  virtual bool Sleep(uint64_t /*epoch*/) noexcept { return false; }
  /// Whether Block() works.
  virtual bool can_block() const { return false; }
  /// Blocks a thread of the application, as Sleep() does the completion thread, until the deadline or for a shorter
  /// time. Several threads may call it at once. It need not find out that the device is lost. Returns false if it did
  /// not block, and may not the next time.
  virtual bool Block(uint64_t /*epoch*/, Deadline /*until*/) noexcept { return false; }
  /// Checks that the device still works, for a device that may be lost without an error. If it is lost, the lane calls
  /// GiveUp(). While work is in flight, the completion thread calls Watch() after each doze of 1 to 16 ms and each time
  /// it is woken. It makes no call while it has to wait for a submission.
  virtual void Watch() noexcept {}

  /// The queue holds it while it hands work over, so that epochs reach the device in their order.
  std::mutex& mutex() { return mutex_; }
  SubmissionQueue& queue() const { return *queue_; }

 protected:
  Lane() = default;
  /// Reports that an epoch is completed. Any thread may call it, even one that may not call the vendor. It takes no
  /// lock except the completion thread's.
  void OnProgress() noexcept;
  /// Marks the device as lost permanently; this thread's error message is the reason. The caller holds no lock. After
  /// DEVICE_LOST, work in flight counts as completed at once. After another status the completion threads drain the
  /// lanes first.
  void GiveUp(Status status) noexcept;

 private:
  friend class SubmissionQueue;
  std::mutex mutex_;
  SubmissionQueue* queue_ = nullptr;  // set once, by the queue that owns the lane
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_LANE_H_
