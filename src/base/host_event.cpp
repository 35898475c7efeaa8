// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_event.h"

namespace halyard {

#if HALYARD_WAITS_ON_WORDS
void HostEvent::Set() {
  if (state_.exchange(kSet, std::memory_order_release) == kClearWithWaiter) WakeAllOnWord(state_);
}

bool HostEvent::Wait(Deadline deadline) {
  while (true) {
    uint32_t state = state_.load(std::memory_order_acquire);
    if (state == kSet) return true;
    if (deadline.passed()) return false;
    if (state == kClear && !state_.compare_exchange_strong(state, kClearWithWaiter, std::memory_order_relaxed))
      continue;
    WaitOnWord(state_, kClearWithWaiter, deadline.nanoseconds);
  }
}

#else

void HostEvent::Set() {
  const std::lock_guard lock(mutex_);  // held while notifying: the waiter cannot destroy the event before
  state_.store(kSet, std::memory_order_release);
  changed_.notify_all();
}

bool HostEvent::Wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  const auto is_set = [this] { return IsSet(); };
  if (deadline.infinite()) {
    changed_.wait(lock, is_set);
    return true;
  }
  const std::chrono::steady_clock::time_point time{std::chrono::nanoseconds(deadline.nanoseconds)};
  return changed_.wait_until(lock, time, is_set);
}

#endif

}  // namespace halyard
