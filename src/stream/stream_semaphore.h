// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline that knows which signals are on their way on the device.
#ifndef HALYARD_STREAM_STREAM_SEMAPHORE_H_
#define HALYARD_STREAM_STREAM_SEMAPHORE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "common/clock.h"
#include "common/device_health.h"
#include "stream/pending_signals.h"

namespace halyard::stream {

class StreamAction;
class StreamDevice;

/// The host's timeline, and beside it the *pending signals*: values that submissions in flight will signal when they
/// are retired. A value is *covered* once it is reached or a pending signal will reach it; that is all that work for
/// the same device waits for on the host, as its stream can wait for the rest.
///
/// Lock order: `pending_mutex_` is taken with no other lock held, not even the timeline's; under it only an action's
/// edges are, a leaf. Callbacks run without it.
/// A timeline's value and failure are changed before `pending_mutex_` is taken to call who waits to be covered, and
/// looked at under it by who registers: so nobody is missed.
class StreamSemaphore final : public TrackedSemaphore {
 public:
  StreamSemaphore(StreamDevice& owner, const hal_semaphore_vtable_t* vtable, uint64_t initial_value);
  /// Calls who waits to be covered with CANCELLED.
  ~StreamSemaphore();

  static constexpr hal_semaphore_vtable_t MakeVtable() {
    hal_semaphore_vtable_t table = TrackedSemaphore::MakeVtable();
    table.destroy = DestroyEntry<StreamSemaphore, hal_semaphore_t>;
    table.query = Entry<&StreamSemaphore::Query>::Of<hal_semaphore_t>;
    table.signal = Entry<&StreamSemaphore::Signal>::Of<hal_semaphore_t>;
    table.fail = Entry<&StreamSemaphore::FailTimeline>::Of<hal_semaphore_t>;
    table.wait = Entry<&StreamSemaphore::Wait>::Of<hal_semaphore_t>;
    table.notify = Entry<&StreamSemaphore::Notify>::Of<hal_semaphore_t>;
    return table;
  }

  /// @name Entries of the vtable
  /// @{
  Status Query(uint64_t* out_value);
  Status Signal(uint64_t value);
  Status FailTimeline(hal_status_t status, hal_string_view_t message);
  /// Looks for a moment before it sleeps.
  Status Wait(uint64_t value, uint64_t timeout_ns);
  Status Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data, hal_timepoint_t* out_timepoint);
  /// @}

  StreamDevice* stream_device() const { return &device_; }

  /// Calls `callback` with `action` once `value` is covered, after the action was told of the submission that it must
  /// come after. Also when the semaphore fails or goes.
  Status NotifyCovered(uint64_t value, StreamAction& action, hal_timepoint_fn_t callback);

  /// Tells the action of the submission that it must come after, if `value` is covered and not reached yet. Registers
  /// nothing. FAILED_PRECONDITION if it is not covered; the semaphore's failure.
  Status Cover(uint64_t value, StreamAction& action);
  /// The last of the pending signals; false if there is none.
  bool LastPending(PendingSignal* out);

  /// A submission in flight will signal `value`. Returns whether anybody on the host waits for that.
  bool AddPending(const PendingSignal& signal) noexcept;

 private:
  /// A thread in Wait().
  class HostWaiter {
   public:
    explicit HostWaiter(StreamSemaphore& semaphore) : semaphore_(semaphore) { Count(1); }
    ~HostWaiter() { Count(-1); }
    HostWaiter(const HostWaiter&) = delete;
    HostWaiter& operator=(const HostWaiter&) = delete;

   private:
    void Count(int change) {
      const std::lock_guard lock(semaphore_.pending_mutex_);
      semaphore_.host_waiters_ += change;
    }
    StreamSemaphore& semaphore_;
  };

  bool FindPending(uint64_t value, PendingSignal* out);
  bool FindAndExpect(uint64_t value, StreamAction& action, PendingSignal* out);
  void Expect(uint64_t value, StreamAction& action) noexcept;
  void FailDependents() noexcept;
  void ArmFor(uint64_t value);
  Ref<hal_semaphore_t> RetireWhatIsDone();
  bool IsDone(uint64_t value);
  void SpinFor(uint64_t value, Deadline deadline);
  void RetireBefore(const PendingSignal& signal);
  /// Forgets what signals values up to `up_to`; whether anybody waits for those to be covered.
  bool DropPending(uint64_t up_to);
  void CallCovered(uint64_t up_to, const PendingSignal* signal, hal_status_t status, std::string_view message) noexcept;

  StreamDevice& device_;
  std::mutex pending_mutex_;  // protects what follows
  PendingSignals pending_;    // those that are reached are dropped now and then
  Dependents dependents_;     // the same
  TimepointQueue uncovered_;  // actions that wait to be covered; `user_data` is the action
  uint64_t next_sequence_ = 1;
  int host_waiters_ = 0;  // threads in Wait()

  // 0 if nothing is pending and nobody waits to be covered. Written with pending_mutex_, and only exchanged, so that a
  // look at it by Signal(), which exchanges it as well, is ordered with each.
  std::atomic<uint32_t> watched_{0};
  std::atomic<uint64_t> last_pending_{0};  // the largest value that was ever pending; written with pending_mutex_
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_SEMAPHORE_H_
