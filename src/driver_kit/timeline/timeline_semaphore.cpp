// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timeline_semaphore.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "base/drain_scope.h"
#include "base/look_times.h"
#include "base/prefetch.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/timeline/waiting_threads.h"
#include "platform/native_thread.h"
#include "platform/thread_time.h"

namespace halyard {

/// A thread in WaitBy(), on its own stack. It registers with the timeline before it sleeps for the first time.
class TimelineSemaphore::HostWait {
 public:
  HostWait(TimelineSemaphore& semaphore, uint64_t value) : semaphore_(semaphore), value_(value) {}

  bool over() const { return registered_ ? woken_.IsSet() : semaphore_.Reached(value_) || semaphore_.failed(); }
  Status Register() {
    if (registered_) return kOk;
    HAL_TRY(semaphore_.Notify(value_, OnTimepoint, this, &timepoint_));
    registered_ = true;
    return kOk;
  }
  HostEvent& woken() { return woken_; }
  /// Once it is over, or the deadline has passed.
  Status End() {
    if (!registered_) {
      if (semaphore_.Reached(value_)) return kOk;
      return semaphore_.failed() ? semaphore_.failure_.Share() : FailTimeOut();
    }
    // If it cannot be cancelled any more, the callback is on its way; it uses this stack frame.
    const bool timed_out = !woken_.IsSet() && semaphore_.TryCancel(timepoint_);
    woken_.Wait({});
    return timed_out ? FailTimeOut() : failure_.Take();
  }

 private:
  static Status FailTimeOut() {
    return FailWith(HAL_STATUS_DEADLINE_EXCEEDED, "the timeout ran out before the semaphore reached the value");
  }
  static void OnTimepoint(void* user_data, hal_status_t status, hal_string_view_t message) {
    auto* const wait = static_cast<HostWait*>(user_data);
    if (status != HAL_STATUS_OK) wait->failure_ = Failure(FailWith(status, View(message)));
    wait->woken_.Set();  // the last touch: the waiter may be gone
  }

  TimelineSemaphore& semaphore_;
  const uint64_t value_;
  bool registered_ = false;
  hal_timepoint_t timepoint_{};
  HostEvent woken_;
  Failure failure_;  // written before woken_ is set
};

namespace {

/// What the functions below say rarely has no part in what they mostly do.
[[gnu::cold, gnu::noinline]] std::array<char, 160> DestroyedMessage(const hal_semaphore_t* semaphore) {
  std::array<char, 160> message;
  std::snprintf(message.data(), message.size(), "the semaphore%s was destroyed before it reached the value",
                LabelWords(semaphore).c_str());
  return message;
}

}  // namespace

[[gnu::cold, gnu::noinline]] Status TimelineSemaphore::FailSignal(uint64_t value, uint64_t current) const {
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "semaphore%s signalled with %" PRIu64 ", but its timeline already stands at %" PRIu64
              ": each signal must exceed the value before it",
              LabelWords(this).c_str(), value, current);
}

void TimelineSemaphore::CancelTimepoints() noexcept {
  const std::array<char, 160> message = DestroyedMessage(this);
  CallDue(UINT64_MAX, HAL_STATUS_CANCELLED, hal_string_view(message.data()));
}

Status TimelineSemaphore::Query(uint64_t* out_value) {
  // failed_ first: a value that is read afterwards is at least the one at the time of the failure.
  const bool failed = failed_.load(std::memory_order_acquire);
  *out_value = value_.load(std::memory_order_acquire);
  return failed ? failure_.Share() : kOk;
}

Status TimelineSemaphore::CheckSignal(uint64_t value) const {
  if (failed_.load(std::memory_order_relaxed)) return failure_.Share();
  const uint64_t current = value_.load(std::memory_order_relaxed);
  if (value > current) return kOk;
  return FailSignal(value, current);
}

Status TimelineSemaphore::Signal(uint64_t value) {
  bool due = false;
  {
    const std::lock_guard lock(mutex_);
    HAL_TRY(CheckSignal(value));
    value_.store(value, std::memory_order_release);
    due = earliest_.load(std::memory_order_relaxed) <= value;
  }
  if (due) CallDue(value, HAL_STATUS_OK, {});
  return kOk;
}

Status TimelineSemaphore::FailTimeline(hal_status_t status, hal_string_view_t message) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return kOk;
    failure_ = Failure(FailWith(status, View(message)));
    failed_.store(true, std::memory_order_release);
  }
  CallDue(UINT64_MAX, status, ToC(failure_.message()));
  return kOk;
}

void TimelineSemaphore::CallDue(uint64_t up_to, hal_status_t status, hal_string_view_t message) noexcept {
  const DrainScope scope;
  std::array<TimepointEntry, 32> batch;
  for (size_t count = batch.size(); count == batch.size();) {
    {
      const std::lock_guard lock(mutex_);
      count = timepoints_ ? timepoints_->TakeDue(up_to, batch) : 0;
      if (timepoints_) earliest_.store(timepoints_->Earliest(), std::memory_order_relaxed);
    }
    const std::span<const TimepointEntry> due(batch.data(), count);
    for (const TimepointEntry& entry : due) PrefetchAction(entry.timepoint.user_data);
    for (const auto& [key, timepoint] : due) {
      // A failure may come between a signal and the callbacks that it owes: what was reached stays reached.
      const bool reached = status != HAL_STATUS_OK && Reached(key.value);
      timepoint.callback(timepoint.user_data, reached ? HAL_STATUS_OK : status,
                         reached ? hal_string_view_t{} : message);
    }
  }
}

void TimelineSemaphore::Trim() noexcept {
  std::unique_ptr<TimepointQueue> unused;  // freed without the lock
  const std::lock_guard lock(mutex_);
  if (earliest_.load(std::memory_order_relaxed) == kNone) unused.reset(timepoints_.release());
}

Status TimelineSemaphore::WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns) {
  if (Reached(value)) return kOk;
  if (failed_.load(std::memory_order_acquire) && !Reached(value)) return failure_.Share();
  if (timeout_ns == 0) return FailWith(HAL_STATUS_DEADLINE_EXCEEDED, "the semaphore has not reached the value yet");
  const auto kept = Ref<hal_semaphore_t>::Retaining(this);  // what wakes this thread may give up the caller's reference
  Watch watch;
  return WaitBy(watch, value, ModeOf(flags, wait_mode_), DeadlineAfter(timeout_ns));
}

Status TimelineSemaphore::WaitBy(Watch& watch, uint64_t value, WaitMode mode, Deadline deadline) {
  using Kind = WaitStep::Kind;
  WaitingThreads& threads = WaitingThreads::Get();
  const uint64_t start = MonotonicNanoseconds();
  WaitPlan plan(threads.room(), {mode, start, deadline.nanoseconds, history_.shortest()});
  std::optional<PreciseSleeps> precise;
  HostWait wait(*this, value);
  LookTimes looks;
  bool looked = false;
  bool asked = false;
  watch.Look();
  for (uint64_t now = start; !wait.over(); now = MonotonicNanoseconds()) {
    threads.Refresh(start, now);
    if (looks.WasInterrupted(now, looked, ProcessorTimeOfThread)) threads.room().NoteInterrupted(now);
    const WaitStep step = plan.Next(now, threads.CountWorking(), watch.wake());
    looked = step.kind == Kind::kLook;
    if (step.kind == Kind::kTimeOut) break;
    if (step.kind == Kind::kLook || step.kind == Kind::kYield) {
      if (step.kind == Kind::kYield) std::this_thread::yield();
      for (int i = 0; i < kLooksPerStep && !wait.over(); ++i) {
        watch.Look();
        Relax();
      }
      continue;
    }
    HAL_TRY(wait.Register());
    if (step.kind == Kind::kBlock) {
      if (!std::exchange(asked, true)) watch.Ask();
      wait.woken().Wait({step.until});
    } else {
      if (!precise && step.until != Deadline::kNever) precise.emplace();
      watch.Sleep(wait.woken(), {step.until});
    }
    if (!wait.over()) watch.Look();
  }
  Status status = wait.End();
  if (status == kOk) history_.Note(MonotonicNanoseconds() - start);
  return status;
}

Status TimelineSemaphore::Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                                 hal_timepoint_t* out_timepoint) {
  if (out_timepoint) *out_timepoint = {value, 0};
  if (!Reached(value)) {
    const std::lock_guard lock(mutex_);
    if (!Reached(value) && !failed_.load(std::memory_order_relaxed)) {
      if (!timepoints_) timepoints_ = IdleTimepointQueues::Take();
      timepoints_->Add({value, next_sequence_}, {callback, user_data});
      earliest_.store(timepoints_->Earliest(), std::memory_order_relaxed);
      if (out_timepoint) out_timepoint->sequence = next_sequence_;
      ++next_sequence_;
      return kOk;
    }
  }
  const DrainScope scope;
  if (Reached(value)) {
    callback(user_data, HAL_STATUS_OK, {});
  } else {
    callback(user_data, failure_.code(), ToC(failure_.message()));
  }
  return kOk;
}

bool TimelineSemaphore::TryCancel(hal_timepoint_t timepoint) {
  Timepoint removed{};
  {
    const std::lock_guard lock(mutex_);
    if (!timepoints_ || !timepoints_->Remove({timepoint.value, timepoint.sequence}, &removed)) return false;
    earliest_.store(timepoints_->Earliest(), std::memory_order_relaxed);
  }
  constexpr std::string_view kMessage = "the timepoint was cancelled";
  const DrainScope scope;
  removed.callback(removed.user_data, HAL_STATUS_CANCELLED, ToC(kMessage));
  return true;
}

Status TimelineSemaphore::Cancel(hal_timepoint_t timepoint) {
  if (TryCancel(timepoint)) return kOk;
  return FailWith(HAL_STATUS_NOT_FOUND, "the timepoint was reached, failed or cancelled before");
}

Status CreateTimelineSemaphore(hal_device_t*, uint64_t initial_value, hal_semaphore_t** out_semaphore) {
  static constexpr hal_semaphore_vtable_t kTable = TimelineSemaphore::MakeVtable();
  *out_semaphore = new TimelineSemaphore(&kTable, initial_value);
  return kOk;
}

}  // namespace halyard
