// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/host_event.h"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#endif

namespace halyard {

#if defined(__linux__)
namespace {

// Sleeps while `word` holds `expected`; may return early. The deadline is absolute on CLOCK_MONOTONIC, which is what
// std::chrono::steady_clock reads.
void FutexWait(std::atomic<uint32_t>& word, uint32_t expected, Deadline deadline) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(deadline.nanoseconds / kNanosecondsPerSecond);
  time.tv_nsec = static_cast<long>(deadline.nanoseconds % kNanosecondsPerSecond);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_BITSET_PRIVATE, expected,
          deadline.infinite() ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void FutexWakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

void HostEvent::Set() {
  if (state_.exchange(kSet, std::memory_order_release) == kClearWithWaiter) FutexWakeAll(state_);
}

bool HostEvent::Wait(Deadline deadline) {
  while (true) {
    uint32_t state = state_.load(std::memory_order_acquire);
    if (state == kSet) return true;
    if (deadline.passed()) return false;
    if (state == kClear && !state_.compare_exchange_strong(state, kClearWithWaiter, std::memory_order_relaxed))
      continue;
    FutexWait(state_, kClearWithWaiter, deadline);
  }
}

#else  // no futex

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
