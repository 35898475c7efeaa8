// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline that knows its pending signals.
#ifndef HALYARD_SUBMISSION_SUBMISSION_SEMAPHORE_H_
#define HALYARD_SUBMISSION_SUBMISSION_SEMAPHORE_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/small_mutex.h"
#include "driver_kit/device/device_health.h"
#include "submission/pending_signals.h"

namespace halyard {

class SubmissionAction;
class SubmissionDevice;

/// A host timeline with its *pending signals*: the values that submissions in flight will signal when they are retired.
/// A wait for a value is *resolvable* once the value is reached, or once a pending signal will reach it. Work for the
/// same device waits only until then on the host: its lane can wait for the rest.
///
/// A signal from outside (of a thread, of a foreign timeline, or of another device) may depend on work whose end the
/// application knows from the device itself, before the host does. So it comes after pending signals of lower values.
/// Until then it is a pending signal, too: of the submission that the last of those belongs to.
///
/// Lock order: `pending_mutex_` is taken with no other lock held, not even the timeline's; under it only an action's
/// edges mutex is taken, a leaf. Callbacks run without it. Signal() changes the value before it takes `pending_mutex_`
/// to call the waits that became resolvable. A thread that registers a wait checks the value again under that mutex. So
/// no wait is missed. The same holds for a failure.
class SubmissionSemaphore final : public TrackedSemaphore {
 public:
  SubmissionSemaphore(SubmissionDevice& owner, const hal_semaphore_vtable_t* vtable, uint64_t initial_value);
  /// Ends the waits that are not resolvable with CANCELLED.
  ~SubmissionSemaphore();
  using HostObject::operator delete;
  /// Returns its memory to the device.
  static void operator delete(SubmissionSemaphore* self, std::destroying_delete_t) noexcept;

  static constexpr hal_semaphore_vtable_t MakeVtable() {
    hal_semaphore_vtable_t table = TrackedSemaphore::MakeVtable();
    table.destroy = DestroyEntry<SubmissionSemaphore, hal_semaphore_t>;
    table.query = Entry<&SubmissionSemaphore::Query>::Of<hal_semaphore_t>;
    table.signal = Entry<&SubmissionSemaphore::Signal>::Of<hal_semaphore_t>;
    table.fail = Entry<&SubmissionSemaphore::FailTimeline>::Of<hal_semaphore_t>;
    table.wait = Entry<&SubmissionSemaphore::Wait>::Of<hal_semaphore_t>;
    table.wait_with_flags = Entry<&SubmissionSemaphore::WaitWithFlags>::Of<hal_semaphore_t>;
    table.notify = Entry<&SubmissionSemaphore::Notify>::Of<hal_semaphore_t>;
    return table;
  }

  /// @name Entries of the vtable
  /// @{
  Status Query(uint64_t* out_value);
  /// A signal from outside of retirement.
  Status Signal(uint64_t value);
  Status FailTimeline(hal_status_t status, hal_string_view_t message);
  Status Wait(uint64_t value, uint64_t timeout_ns) { return WaitWithFlags(value, 0, timeout_ns); }
  Status WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns);
  Status Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data, hal_timepoint_t* out_timepoint);
  /// @}

  SubmissionDevice* submission_device() const { return &device_; }

  /// The signal of an operation that is retired.
  Status SignalInOrder(uint64_t value);

  /// Calls `callback` with `action` once a wait for `value` is resolvable, even if the semaphore fails or is destroyed.
  /// If a pending signal will reach `value`, its submission first becomes a predecessor of the action
  /// (ComeAfterSignal()).
  Status NotifyWhenResolvable(uint64_t value, SubmissionAction& action, hal_timepoint_fn_t callback);

  /// If `value` is pending and not reached yet, adds the submission that will signal it to the action's predecessors.
  /// Fails with FAILED_PRECONDITION if the wait is not resolvable, or with the semaphore's failure.
  Status Resolve(uint64_t value, SubmissionAction& action);
  /// Finds the last of the pending signals; false if there is none.
  bool LastPending(PendingSignal* out);

  /// What AddPending() finds out.
  struct Added {
    bool awaited;     ///< the host waits for the signal
    bool lacks_edge;  ///< the signal before is another submission's, which the action does not wait for
  };
  /// Adds a signal of a submission in flight.
  Added AddPending(const PendingSignal& signal, const SubmissionAction& action) noexcept;
  /// Finds out how far the submission of the pending signal before `value` is. Called by retirement.
  Before LookBefore(uint64_t value) noexcept;

  /// Drops its references to actions that have ended, and frees the memory of lists that are empty then. `unused` is
  /// sorted.
  void Forget(const HostVector<SubmissionAction*>& unused) noexcept;

 private:
  /// What a thread does that waits for a value: it looks at the submission that is to signal it.
  class LaneWatch;

  /// If a signal from outside has to come after pending ones: adds it to them as `*out_added`. `*out_last` is the value
  /// that it comes after.
  Status AddOutside(uint64_t value, PendingSignal* out_added, uint64_t* out_last);
  void SignalOutside() noexcept;
  bool FindOutside(uint64_t* out_value);
  Status MoveTo(uint64_t value);
  bool LacksEdge(const PendingSignal& signal, const SubmissionAction& action);
  void AddToPending(const PendingSignal& signal);
  bool FindPending(uint64_t value, PendingSignal* out);
  bool FindAndExpect(uint64_t value, SubmissionAction& action, PendingSignal* out);
  void Expect(uint64_t value, SubmissionAction& action) noexcept;
  void FailDependents() noexcept;
  void RequestFor(uint64_t value);
  bool FindEnds(PendingSignal* out_first, PendingSignal* out_last);
  bool IsOneDone(const PendingSignal& first, const PendingSignal& last);
  bool QueryAll(const PendingSignal& first, const PendingSignal& last);
  Ref<hal_semaphore_t> RetireWhatIsDone();
  bool IsDone(uint64_t value);
  void CountHostWaiters(int change);
  void RetireBefore(const PendingSignal& signal);
  /// Drops the pending signals of values up to `up_to`. Returns whether unresolved waits for such values must be
  /// called.
  bool DropPending(uint64_t up_to);
  void CallResolvable(uint64_t up_to, const PendingSignal* signal, hal_status_t status,
                      std::string_view message) noexcept;

  SubmissionDevice& device_;
  SmallMutex pending_mutex_;   // protects what follows
  PendingSignals pending_;     // reached ones are dropped now and then
  Dependents dependents_;      // the same
  TimepointQueue unresolved_;  // waits that are not resolvable yet; `user_data` is the action
  uint64_t next_sequence_ = 1;
  int host_waiters_ = 0;  // threads that wait and do not look by themselves

  // The largest value that was ever signalled from outside and came after pending signals. Written with pending_mutex_.
  // A thread that adds one looks at the timeline again afterwards (ReachedInOrder()), and a thread that moves the
  // timeline looks here afterwards: one of the two finds the other.
  std::atomic<uint64_t> outside_{0};
  // 0 if nothing is pending and no wait is unresolved. Written with pending_mutex_, by exchanges only. Signal() reads
  // it by an atomic read-modify-write too, so that its read is ordered with each write.
  std::atomic<uint32_t> watched_{0};
  std::atomic<uint64_t> last_pending_{0};  // the largest value that was ever pending; written with pending_mutex_
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_SUBMISSION_SEMAPHORE_H_
