// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline that every driver builds on: value, failure, waiting threads and registered callbacks.
#ifndef HALYARD_DRIVER_KIT_TIMELINE_TIMELINE_SEMAPHORE_H_
#define HALYARD_DRIVER_KIT_TIMELINE_TIMELINE_SEMAPHORE_H_

#include <atomic>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/host_event.h"
#include "base/small_mutex.h"
#include "base/status.h"
#include "base/wait_policy.h"
#include "driver_kit/object/object.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/timeline/timepoint_queue.h"
#include "halyard/driver_api.h"

namespace halyard {

/// A semaphore whose timeline lives on the host.
///
/// Lock order: `mutex_` is taken with no other lock held; under it only leaves are taken, the timepoint pool's and the
/// host allocator's. Callbacks run after it is released, in timeline order, within a DrainScope; they are the
/// runtime's, short, and defer what calls the application. A value that was reached stays reached when the semaphore
/// fails later. A caller of Signal() or Fail() holds a reference to the semaphore throughout.
class TimelineSemaphore : public hal_semaphore_t, public HostObject {
 public:
  TimelineSemaphore(const hal_semaphore_vtable_t* vtable, uint64_t initial_value)
      : hal_semaphore_t{}, value_(initial_value) {
    hal_object_initialize(&object, HAL_OBJECT_KIND_SEMAPHORE, vtable);
  }
  /// Calls what is still registered with CANCELLED.
  ~TimelineSemaphore() {
    if (earliest_.load(std::memory_order_relaxed) != kNone) CancelTimepoints();  // no other thread has it any more
  }

  Status Query(uint64_t* out_value);
  Status Signal(uint64_t value);
  Status FailTimeline(hal_status_t status, hal_string_view_t message);
  Status Wait(uint64_t value, uint64_t timeout_ns) { return WaitWithFlags(value, 0, timeout_ns); }
  Status WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns);
  Status Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data, hal_timepoint_t* out_timepoint);
  Status Cancel(hal_timepoint_t timepoint);

  /// Entries for a driver's vtable. A driver whose devices have their own timelines derives and replaces some.
  static constexpr hal_semaphore_vtable_t MakeVtable() {
    using Class = TimelineSemaphore;
    using Head = hal_semaphore_t;
    hal_semaphore_vtable_t table{};
    table.struct_size = sizeof(table);
    table.destroy = DestroyEntry<Class, Head>;
    HALYARD_ENTRIES_semaphore(HALYARD_SET_ENTRY);
    return table;
  }

  /// Frees what a crowd of waits has left, if none is there any more.
  void Trim() noexcept;

  bool Reached(uint64_t value) const { return value_.load(std::memory_order_acquire) >= value; }
  /// Sets how waits without flags wait. By the semaphore's maker, before any other thread has it.
  void SetWaitMode(WaitMode mode) { wait_mode_ = mode; }

 protected:
  /// What a thread that waits can do for the end of its wait. Here, that is nothing: the signal wakes the thread.
  class Watch {
   public:
    virtual ~Watch() = default;
    /// Finds out whether the timeline has moved, and moves it.
    virtual void Look() noexcept {}
    virtual Wake wake() const noexcept { return Wake::kAlways; }
    /// Sleeps until woken, or until the deadline, or for a shorter time.
    virtual void Sleep(HostEvent& woken, Deadline until) noexcept { woken.Wait(until); }
    /// Asks another thread to look. Called once at most.
    virtual void Ask() noexcept {}
  };
  /// Waits until the value is reached, the timeline has failed, or the deadline has passed: DEADLINE_EXCEEDED. The
  /// caller holds a reference.
  Status WaitBy(Watch& watch, uint64_t value, WaitMode mode, Deadline deadline);
  WaitMode wait_mode() const { return wait_mode_; }

  uint64_t value() const { return value_.load(std::memory_order_acquire); }
  /// The same as Reached(), after every Signal() that has begun and before every Signal() that has not.
  bool ReachedInOrder(uint64_t value) {
    const std::lock_guard lock(mutex_);
    return Reached(value);
  }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// How it failed; only once it has.
  const Failure& failure() const { return failure_; }
  /// INVALID_ARGUMENT for a signal that does not exceed what the timeline stands at.
  Status FailSignal(uint64_t value, uint64_t current) const;
  /// Whether a timepoint is registered that falls due at `value`.
  /// Of timepoints that are being registered meanwhile some may be missed, unless another lock keeps that apart.
  bool Awaits(uint64_t value) const { return earliest_.load(std::memory_order_relaxed) <= value; }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;  // no value of a timeline
  class HostWait;

  Status CheckSignal(uint64_t value) const;
  bool TryCancel(hal_timepoint_t timepoint);
  void CancelTimepoints() noexcept;
  void CallDue(uint64_t up_to, hal_status_t status, hal_string_view_t message) noexcept;

  SmallMutex mutex_;  // protects what follows; value_ and failed_ are written under it and read without it
  WaitMode wait_mode_ = WaitMode::kAuto;  // not changed once other threads have it
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> value_;
  std::atomic<uint64_t> earliest_{kNone};  // value of the first timepoint; written under the lock
  uint64_t next_sequence_ = 1;
  IdleTimepointQueues::Owned timepoints_;  // got with the first; there is one while earliest_ is not kNone
  Failure failure_;                        // written once, before failed_ becomes true
  WaitHistory history_;
};

/// Makes a semaphore on the core's own vtable, for drivers that complete work on host threads.
Status CreateTimelineSemaphore(hal_device_t* device, uint64_t initial_value, hal_semaphore_t** out_semaphore);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TIMELINE_TIMELINE_SEMAPHORE_H_
