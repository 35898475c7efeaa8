// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/stream_semaphore.h"

#include <array>
#include <span>

#include "common/action_drain.h"
#include "common/clock.h"
#include "common/prefetch.h"
#include "common/vtable.h"
#include "stream/stream_action.h"
#include "stream/stream_device.h"

namespace halyard::stream {
namespace {

// How long a thread looks at the counters before it asks to be woken: some times what a wake costs.
constexpr uint64_t kSpinTime = 50'000;  // nanoseconds

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

StreamSemaphore::StreamSemaphore(StreamDevice& owner, const hal_semaphore_vtable_t* vtable, uint64_t initial_value)
    : TrackedSemaphore(owner.health(), vtable, initial_value), device_(owner) {}

StreamSemaphore::~StreamSemaphore() {
  CallCovered(UINT64_MAX, nullptr, HAL_STATUS_CANCELLED, "the semaphore was destroyed before it reached the value");
}

Status StreamSemaphore::Query(uint64_t* out_value) {
  RetireWhatIsDone();
  return TrackedSemaphore::Query(out_value);
}

Status StreamSemaphore::Signal(uint64_t value) {
  const DrainScope scope;  // first all who wait, then what they release
  if (Status status = TrackedSemaphore::Signal(value); status != kOk) return status;
  if (DropPending(value)) CallCovered(value, nullptr, kOk, {});
  return kOk;
}

Status StreamSemaphore::FailTimeline(hal_status_t status, hal_string_view_t message) {
  const DrainScope scope;
  const Status result = TrackedSemaphore::FailTimeline(status, message);
  if (DropPending(UINT64_MAX)) CallCovered(UINT64_MAX, nullptr, failure().status, failure().message);
  return result;
}

bool StreamSemaphore::DropPending(uint64_t up_to) {
  const std::lock_guard lock(pending_mutex_);
  pending_.DropUpTo(up_to);
  return uncovered_.HasDue(up_to);
}

Status StreamSemaphore::Notify(uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                               hal_timepoint_t* out_timepoint) {
  // Registered first: a signal that is not pending yet finds the timepoint when it becomes so.
  if (Status status = TrackedSemaphore::Notify(value, callback, user_data, out_timepoint); status != kOk) return status;
  ArmFor(value);
  return kOk;
}

Status StreamSemaphore::Wait(uint64_t value, uint64_t timeout_ns) {
  if (Reached(value)) return kOk;
  if (timeout_ns == 0) {
    RetireWhatIsDone();
    return TrackedSemaphore::Wait(value, 0);
  }
  const Deadline deadline = DeadlineAfter(timeout_ns);
  SpinFor(value, deadline);
  if (Reached(value)) return kOk;
  {
    const std::lock_guard lock(pending_mutex_);
    ++host_waiters_;
  }
  ArmFor(value);
  const uint64_t now = MonotonicNanoseconds();
  const uint64_t rest = deadline.infinite() ? timeout_ns : deadline.nanoseconds > now ? deadline.nanoseconds - now : 0;
  const Status status = TrackedSemaphore::Wait(value, rest);
  const std::lock_guard lock(pending_mutex_);
  --host_waiters_;
  return status;
}

void StreamSemaphore::SpinFor(uint64_t value, Deadline deadline) {
  PendingSignal signal;
  if (!FindPending(value, &signal)) return;
  StreamQueue& queue = device_.queue(signal.queue);
  const uint64_t until = std::min(MonotonicNanoseconds() + kSpinTime, deadline.nanoseconds);
  while (!queue.Seen(signal.epoch)) {
    if (MonotonicNanoseconds() >= until) return;
    Relax();
  }
  device_.Retire();
}

void StreamSemaphore::RetireWhatIsDone() {
  PendingSignal signal;
  {
    const std::lock_guard lock(pending_mutex_);
    if (pending_.empty()) return;
    signal = pending_.front();
  }
  if (device_.queue(signal.queue).Seen(signal.epoch)) device_.Retire();
}

bool StreamSemaphore::FindPending(uint64_t value, PendingSignal* out) {
  const std::lock_guard lock(pending_mutex_);
  const PendingSignal* const signal = pending_.Find(value);
  if (signal) *out = *signal;
  return signal != nullptr;
}

void StreamSemaphore::ArmFor(uint64_t value) {
  PendingSignal signal;
  if (!Reached(value) && FindPending(value, &signal)) device_.queue(signal.queue).Arm(signal.epoch);
}

Status StreamSemaphore::NotifyCovered(uint64_t value, StreamAction& action, hal_timepoint_fn_t callback) {
  PendingSignal signal;
  {
    const std::lock_guard lock(pending_mutex_);
    if (!Reached(value) && !failed()) {
      const PendingSignal* const found = pending_.Find(value);
      if (!found) {
        uncovered_.Add({value, next_sequence_++}, {callback, &action});
        return kOk;
      }
      signal = *found;
    }
  }
  // Reached or failed: the timeline says so at once.
  if (signal.epoch == 0) return TrackedSemaphore::Notify(value, callback, static_cast<QueueAction*>(&action), nullptr);
  action.ComeAfter(signal.queue, signal.epoch);
  const DrainScope scope;
  callback(static_cast<QueueAction*>(&action), kOk, {});
  return kOk;
}

bool StreamSemaphore::AddPending(const PendingSignal& signal) noexcept {
  bool awaited = false;
  bool due = false;
  {
    const std::lock_guard lock(pending_mutex_);
    try {
      pending_.Add(signal);
    } catch (...) {
      return true;  // without it, everybody is served when the submission is retired
    }
    awaited = host_waiters_ > 0;
    due = uncovered_.HasDue(signal.value);
  }
  if (due) CallCovered(signal.value, &signal, kOk, {});
  return awaited || Awaits(signal.value);
}

// With a pending signal, those who come after it; else the timeline has got there, or never will.
void StreamSemaphore::CallCovered(uint64_t up_to, const PendingSignal* signal, hal_status_t status,
                                  std::string_view message) noexcept {
  const DrainScope scope;
  std::array<TimepointEntry, 32> batch;
  for (size_t count = batch.size(); count == batch.size();) {
    {
      const std::lock_guard lock(pending_mutex_);
      count = uncovered_.TakeDue(up_to, batch);
    }
    for (const auto& [key, timepoint] : std::span(batch.data(), count)) {
      auto* const action = static_cast<StreamAction*>(timepoint.user_data);
      if (signal) action->ComeAfter(signal->queue, signal->epoch);
      const bool reached = status == kOk || Reached(key.first);
      timepoint.callback(static_cast<QueueAction*>(action), reached ? kOk : status, ToC(reached ? "" : message));
    }
  }
}

hal_semaphore_vtable_t StreamSemaphore::MakeVtable() {
  hal_semaphore_vtable_t table = TrackedSemaphore::MakeVtable();
  table.destroy = DestroyEntry<StreamSemaphore, hal_semaphore_t>;
  table.query = Entry<&StreamSemaphore::Query>::Of<hal_semaphore_t>;
  table.signal = Entry<&StreamSemaphore::Signal>::Of<hal_semaphore_t>;
  table.fail = Entry<&StreamSemaphore::FailTimeline>::Of<hal_semaphore_t>;
  table.wait = Entry<&StreamSemaphore::Wait>::Of<hal_semaphore_t>;
  table.notify = Entry<&StreamSemaphore::Notify>::Of<hal_semaphore_t>;
  return table;
}

}  // namespace halyard::stream
