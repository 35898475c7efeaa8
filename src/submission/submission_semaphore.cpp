// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/submission_semaphore.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <mutex>
#include <span>

#include "base/drain_scope.h"
#include "base/library_thread.h"
#include "driver_kit/object/labels.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/timeline/waiting_threads.h"
#include "submission/submission_action.h"
#include "submission/submission_device.h"
#include "submission/test_points.h"

namespace halyard {
/// Retires the submission once it is completed. Lives in the waiting thread.
class SubmissionSemaphore::LaneWatch final : public Watch {
 public:
  LaneWatch(SubmissionSemaphore& semaphore, uint64_t value)
      : semaphore_(semaphore), value_(value), blocks_(!LibraryThread::OnOne()) {
    semaphore_.FindPending(value_, &signal_);
  }
  ~LaneWatch() override {
    if (asked_) semaphore_.CountHostWaiters(-1);
  }

  void Look() noexcept override {
    const bool thoroughly = ++looks_ % kLooksPerStep == 0;
    if (signal_.epoch == 0 && (!thoroughly || !semaphore_.FindPending(value_, &signal_))) return;
    if (done_) return;  // the thread that retires signals soon
    SubmissionQueue& queue = semaphore_.device_.queue(signal_.queue);
    done_ = thoroughly ? queue.PollOnce(signal_.epoch) : queue.Poll(signal_.epoch);
    if (done_) {
      semaphore_.device_.Retire();
    } else if (thoroughly && semaphore_.device_.gate().closed()) {
      semaphore_.RequestFor(value_);  // the process ends, and with it the wait
    } else if (looks_ == kLooksPerStep) {
      semaphore_.RetireBefore(signal_);  // there is time to end what comes before
    }
  }
  Wake wake() const noexcept override {
    if (signal_.epoch == 0) return Wake::kIfAsked;
    const Lane& lane = semaphore_.device_.queue(signal_.queue).lane();
    if (lane.reports_progress()) return Wake::kAlways;
    return blocks_ && lane.can_block() ? Wake::kInSleep : Wake::kIfLooks;
  }
  void Sleep(HostEvent& woken, Deadline until) noexcept override {
    if (done_ || wake() != Wake::kInSleep) {
      woken.Wait(until);
    } else {
      blocks_ = semaphore_.device_.queue(signal_.queue).lane().Block(signal_.epoch, until);
    }
    looks_ = kLooksPerStep - 1;  // the next look is a thorough one
  }
  // First counted: a signal that becomes pending from now on is noted as awaited.
  void Ask() noexcept override {
    asked_ = true;
    semaphore_.CountHostWaiters(1);
    AtTestPoint();
    semaphore_.RequestFor(value_);
  }

 private:
  SubmissionSemaphore& semaphore_;
  const uint64_t value_;
  bool blocks_;           // in the vendor's wait, which is not for threads of the library
  PendingSignal signal_;  // its epoch is 0 until it is found
  bool done_ = false;
  bool asked_ = false;
  uint32_t looks_ = 0;
};

SubmissionSemaphore::SubmissionSemaphore(SubmissionDevice& owner, const hal_semaphore_vtable_t* vtable,
                                         uint64_t initial_value)
    : TrackedSemaphore(owner.health(), vtable, initial_value), device_(owner) {}

void SubmissionSemaphore::operator delete(SubmissionSemaphore* self, std::destroying_delete_t) noexcept {
  self->device_.health().semaphore_memory().Destroy(self);
}

void SubmissionSemaphore::CountHostWaiters(int change) {
  const std::lock_guard lock(pending_mutex_);
  host_waiters_ += change;
}

SubmissionSemaphore::~SubmissionSemaphore() {
  CallResolvable(UINT64_MAX, nullptr, HAL_STATUS_CANCELLED, "the semaphore was destroyed before it reached the value");
}

Status SubmissionSemaphore::Query(uint64_t* out_value) {
  const Ref<hal_semaphore_t> kept = RetireWhatIsDone();
  return TrackedSemaphore::Query(out_value);
}

// With pending_mutex_. May throw.
void SubmissionSemaphore::AddToPending(const PendingSignal& signal) {
  pending_.Add(signal);
  last_pending_.store(std::max(last_pending_.load(std::memory_order_relaxed), signal.value), std::memory_order_relaxed);
}

Status SubmissionSemaphore::AddOutside(uint64_t value, PendingSignal* out_added, uint64_t* out_last) {
  bool due = false;
  {
    const std::lock_guard lock(pending_mutex_);
    pending_.DropUpTo(this->value());
    const PendingSignal* const last = failed() ? nullptr : pending_.FindBelow(value);
    if (!last) return kOk;
    const uint64_t noted = outside_.load(std::memory_order_relaxed);
    if (value <= noted) return FailSignal(value, noted);
    *out_last = last->value;
    const PendingSignal added = {value, last->queue, last->epoch, last->conditional, true};
    HAL_TRY(Guard([&] {
      AddToPending(added);
      return kOk;
    }));
    *out_added = added;
    outside_.store(value, std::memory_order_relaxed);
    due = unresolved_.HasDue(value);
  }
  if (due) CallResolvable(value, out_added, HAL_STATUS_OK, {});
  return kOk;
}

// What the application may have seen end is retired first, if no other thread is at that.
Status SubmissionSemaphore::Signal(uint64_t value) {
  PendingSignal added;
  uint64_t last = 0;
  if (watched_.load(std::memory_order_acquire) != 0) HAL_TRY(AddOutside(value, &added, &last));
  if (added.epoch == 0) return SignalInOrder(value);
  const auto kept = Ref<hal_semaphore_t>::Retaining(this);  // what is retired may give up the caller's reference
  AtTestPoint();
  SubmissionQueue& queue = device_.queue(added.queue);
  if (queue.Query(added.epoch)) device_.Retire();
  if (ReachedInOrder(last)) {
    SignalOutside();
  } else {
    queue.RequestNotification(added.epoch);
  }
  return kOk;
}

bool SubmissionSemaphore::FindOutside(uint64_t* out_value) {
  const std::lock_guard lock(pending_mutex_);
  pending_.DropUpTo(value());
  if (pending_.empty() || !pending_.front().outside) return false;
  *out_value = pending_.front().value;
  return true;
}

// What is refused here has been reached meanwhile, or never will be.
void SubmissionSemaphore::SignalOutside() noexcept {
  uint64_t next = 0;
  while (!failed() && FindOutside(&next)) Guard([&] { return MoveTo(next); }).Ignore();
}

Status SubmissionSemaphore::MoveTo(uint64_t value) {
  if (Status status = TrackedSemaphore::Signal(value); status != kOk) {
    FailDependents();
    return status;
  }
  AtTestPoint();
  // A wait for a value that a pending signal reaches was called when the signal became pending.
  if (last_pending_.load(std::memory_order_relaxed) >= value) return kOk;
  // Either this comes first, and a thread that registers finds the value reached. Or this finds what it registered.
  if (watched_.fetch_add(0, std::memory_order_acq_rel) == 0) return kOk;
  if (DropPending(value)) CallResolvable(value, nullptr, HAL_STATUS_OK, {});
  return kOk;
}

Status SubmissionSemaphore::SignalInOrder(uint64_t value) {
  const DrainScope scope;  // first all who wait, then what they release
  HAL_TRY(MoveTo(value));
  if (outside_.load(std::memory_order_relaxed) > value) [[unlikely]]
    SignalOutside();
  return kOk;
}

Status SubmissionSemaphore::FailTimeline(hal_status_t status, hal_string_view_t message) {
  const DrainScope scope;
  // What the application may have seen end is reached.
  const Ref<hal_semaphore_t> kept = device_.health().lost() ? Ref<hal_semaphore_t>() : RetireWhatIsDone();
  const Status result = TrackedSemaphore::FailTimeline(status, message);
  FailDependents();
  if (DropPending(UINT64_MAX)) CallResolvable(UINT64_MAX, nullptr, failure().code(), failure().message());
  return result;
}

bool SubmissionSemaphore::DropPending(uint64_t up_to) {
  const std::lock_guard lock(pending_mutex_);
  pending_.DropUpTo(up_to);
  if (pending_.empty() && unresolved_.Earliest() == UINT64_MAX) watched_.exchange(0, std::memory_order_acq_rel);
  return unresolved_.HasDue(up_to);
}

Status SubmissionSemaphore::Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                                   hal_timepoint_t* out_timepoint) {
  // Registered first: a signal that is not pending yet finds the timepoint when it becomes so.
  HAL_TRY(TrackedSemaphore::Notify(value, callback, user_data, out_timepoint));
  AtTestPoint();
  RequestFor(value);
  return kOk;
}

Status SubmissionSemaphore::WaitWithFlags(uint64_t value, hal_wait_flags_t flags, uint64_t timeout_ns) {
  if (Reached(value)) return kOk;
  const auto kept = Ref<hal_semaphore_t>::Retaining(this);  // what ends meanwhile may give up the caller's reference
  if (timeout_ns == 0) {
    RetireWhatIsDone();
    return TrackedSemaphore::Wait(value, 0);
  }
  LaneWatch watch(*this, value);
  Status status = WaitBy(watch, value, ModeOf(flags, wait_mode()), DeadlineAfter(timeout_ns));
  if (status.code() == HAL_STATUS_DEADLINE_EXCEEDED && IsDone(value)) {
    status.Ignore();
    status = TrackedSemaphore::Wait(value, 0);
  }
  return status;
}

// A last look, as the completion thread may rest.
bool SubmissionSemaphore::IsDone(uint64_t value) {
  PendingSignal signal;
  if (!FindPending(value, &signal)) return Reached(value);
  if (!device_.queue(signal.queue).Query(signal.epoch)) return false;
  device_.Retire();
  return true;
}

void SubmissionSemaphore::RetireBefore(const PendingSignal& signal) {
  PendingSignal first;
  if (!FindPending(value() + 1, &first) || first.value >= signal.value) return;
  if (device_.queue(first.queue).Query(first.epoch)) device_.Retire();
}

bool SubmissionSemaphore::FindEnds(PendingSignal* out_first, PendingSignal* out_last) {
  const std::lock_guard lock(pending_mutex_);
  pending_.DropUpTo(value());
  if (pending_.empty()) return false;
  *out_first = pending_.front();
  *out_last = pending_.back();
  return true;
}

// The last one first, if it is another queue's: so its lane is asked to tell while its work is on its way, and not only
// once the first one is done.
bool SubmissionSemaphore::IsOneDone(const PendingSignal& first, const PendingSignal& last) {
  if (device_.tells_application()) return QueryAll(first, last);
  const bool elsewhere = last.queue != first.queue;
  const PendingSignal& polled = elsewhere ? last : first;
  return device_.queue(polled.queue).PollOnce(polled.epoch) ||
         (elsewhere && device_.queue(first.queue).Query(first.epoch));
}

// From the first one on up to one that is in flight: the application may have seen the end of any.
bool SubmissionSemaphore::QueryAll(const PendingSignal& first, const PendingSignal& last) {
  bool one_done = false;
  PendingSignal next = first;
  while (device_.queue(next.queue).Query(next.epoch)) {
    one_done = true;
    if (next.value >= last.value || !FindPending(next.value + 1, &next)) break;
  }
  return one_done;
}

// What is retired may give up the caller's references: so the semaphore is the caller's of this once more.
Ref<hal_semaphore_t> SubmissionSemaphore::RetireWhatIsDone() {
  PendingSignal first;
  PendingSignal last;
  if (!FindEnds(&first, &last)) return {};
  auto kept = Ref<hal_semaphore_t>::Retaining(this);
  if (IsOneDone(first, last)) device_.Retire();
  return kept;
}

bool SubmissionSemaphore::FindPending(uint64_t value, PendingSignal* out) {
  const std::lock_guard lock(pending_mutex_);
  const PendingSignal* const signal = pending_.Find(value);
  if (signal) *out = *signal;
  return signal != nullptr;
}

void SubmissionSemaphore::RequestFor(uint64_t value) {
  PendingSignal signal;
  if (!Reached(value) && FindPending(value, &signal)) device_.queue(signal.queue).RequestNotification(signal.epoch);
}

Status SubmissionSemaphore::NotifyWhenResolvable(uint64_t value, SubmissionAction& action,
                                                 hal_timepoint_fn_t callback) {
  if (Reached(value)) {
    const DrainScope scope;
    callback(static_cast<QueueAction*>(&action), HAL_STATUS_OK, {});
    return kOk;
  }
  PendingSignal signal;
  {
    const std::lock_guard lock(pending_mutex_);
    const bool open = !Reached(value) && !failed();
    if (const PendingSignal* const found = open ? pending_.Find(value) : nullptr) {
      signal = *found;
      Expect(value, action);
    } else if (open) {
      AtTestPoint();
      watched_.exchange(1, std::memory_order_acq_rel);
      if (!Reached(value) && !failed()) {
        unresolved_.Add({value, next_sequence_++}, {callback, &action});
        return kOk;
      }
    }
  }
  // Reached or failed: the timeline says so at once.
  if (signal.epoch == 0) return TrackedSemaphore::Notify(value, callback, static_cast<QueueAction*>(&action), nullptr);
  action.ComeAfterSignal(*this, value, signal);
  const DrainScope scope;
  callback(static_cast<QueueAction*>(&action), HAL_STATUS_OK, {});
  return kOk;
}

Status SubmissionSemaphore::Resolve(uint64_t value, SubmissionAction& action) {
  PendingSignal signal;
  if (!FindAndExpect(value, action, &signal)) {
    // What is reached or failed is no longer pending; looked at last, so that nothing is missed in between.
    uint64_t now = 0;
    Failure failure(TrackedSemaphore::Query(&now));
    if (now >= value) return kOk;
    if (failure) return failure.Take();
    return Fail(HAL_STATUS_FAILED_PRECONDITION,
                "the semaphore%s stands at %" PRIu64 ", and no signal that reaches %" PRIu64
                " is on its way on the device: submit it first, or wait for it on the host, which tells if it failed",
                LabelWords(static_cast<const hal_semaphore_t*>(this)).c_str(), now, value);
  }
  action.ComeAfterSignal(*this, value, signal);
  return kOk;
}

// With pending_mutex_. Of another device's signals an action asks for the outcome.
void SubmissionSemaphore::Expect(uint64_t value, SubmissionAction& action) noexcept {
  if (&action.submission_device() != &device_) return;
  const uint64_t use = action.AwaitFailure();
  const Status status = Guard([&] {
    dependents_.DropUpTo(this->value());
    dependents_.Add({value, &action, use});
    return kOk;
  });
  if (status != kOk) action.FailUse(use, Failure(status));
}

// With the lock throughout, so that the second caller returns no earlier than all are told.
void SubmissionSemaphore::FailDependents() noexcept {
  if (!failed()) return;
  const std::lock_guard lock(pending_mutex_);
  dependents_.DropUpTo(value());
  for (const Dependent& dependent : dependents_.all()) dependent.action->FailUse(dependent.use, failure());
  dependents_.DropUpTo(UINT64_MAX);
}

void SubmissionSemaphore::Forget(const HostVector<SubmissionAction*>& unused) noexcept {
  const std::lock_guard lock(pending_mutex_);
  dependents_.DropIf([&unused](const Dependent& d) { return std::ranges::binary_search(unused, d.action); });
  dependents_.Trim();
  pending_.Trim();
  unresolved_.Trim();
}

// The pending signals of a failed semaphore resolve no wait.
bool SubmissionSemaphore::FindAndExpect(uint64_t value, SubmissionAction& action, PendingSignal* out) {
  const std::lock_guard lock(pending_mutex_);
  const PendingSignal* const signal = failed() || Reached(value) ? nullptr : pending_.Find(value);
  if (!signal) return false;
  *out = *signal;
  Expect(value, action);
  return true;
}

bool SubmissionSemaphore::LastPending(PendingSignal* out) {
  const std::lock_guard lock(pending_mutex_);
  if (pending_.empty()) return false;
  *out = pending_.back();
  return true;
}

// With pending_mutex_: whether no edge orders the action after the pending signal before its own.
bool SubmissionSemaphore::LacksEdge(const PendingSignal& signal, const SubmissionAction& action) {
  const PendingSignal* const before = pending_.FindBelow(signal.value);
  return before && before->queue != signal.queue && action.After(before->queue) < before->epoch;
}

SubmissionSemaphore::Added SubmissionSemaphore::AddPending(const PendingSignal& signal,
                                                           const SubmissionAction& action) noexcept {
  bool awaited = false;
  bool due = false;
  bool lacks_edge = false;
  {
    const std::lock_guard lock(pending_mutex_);
    if (watched_.load(std::memory_order_relaxed) == 0) watched_.exchange(1, std::memory_order_acq_rel);
    try {
      pending_.DropUpTo(value());
      dependents_.DropUpTo(value());
      lacks_edge = !pending_.empty() && LacksEdge(signal, action);
      AddToPending(signal);
    } catch (...) {
      return {true, true};  // without it, all waits are served when the submission is retired
    }
    awaited = host_waiters_ > 0;
    due = unresolved_.HasDue(signal.value);
  }
  AtTestPoint();
  if (due) CallResolvable(signal.value, &signal, HAL_STATUS_OK, {});
  return {awaited || Awaits(signal.value), lacks_edge};
}

Before SubmissionSemaphore::LookBefore(uint64_t value) noexcept {
  PendingSignal before;
  {
    const std::lock_guard lock(pending_mutex_);
    pending_.DropUpTo(this->value());
    const PendingSignal* const found = pending_.FindBelow(value);
    if (!found) return Before::kNothing;
    before = *found;
  }
  SubmissionQueue& queue = device_.queue(before.queue);
  if (queue.Query(before.epoch)) return Before::kDone;
  return queue.IsEnding(before.epoch) ? Before::kEnding : Before::kNothing;
}

// With a pending signal, those who come after it; else the timeline has got there, or never will.
void SubmissionSemaphore::CallResolvable(uint64_t up_to, const PendingSignal* signal, hal_status_t status,
                                         std::string_view message) noexcept {
  const DrainScope scope;
  std::array<TimepointEntry, 32> batch;
  for (size_t count = batch.size(); count == batch.size();) {
    {
      const std::lock_guard lock(pending_mutex_);
      count = unresolved_.TakeDue(up_to, batch);
      for (size_t i = 0; signal && i < count; ++i) {
        Expect(batch[i].key.value, *static_cast<SubmissionAction*>(batch[i].timepoint.user_data));
      }
    }
    for (const auto& [key, timepoint] : std::span(batch.data(), count)) {
      auto* const action = static_cast<SubmissionAction*>(timepoint.user_data);
      if (signal) action->ComeAfterSignal(*this, key.value, *signal);
      const bool reached = status == HAL_STATUS_OK || Reached(key.value);
      timepoint.callback(static_cast<QueueAction*>(action), reached ? HAL_STATUS_OK : status,
                         ToC(reached ? "" : message));
    }
  }
}

}  // namespace halyard
