// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host thread sleeps on.
#ifndef HALYARD_BASE_HOST_EVENT_H_
#define HALYARD_BASE_HOST_EVENT_H_

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "platform/word_wait.h"

#if !HALYARD_WAITS_ON_WORDS
#include <condition_variable>
#include <mutex>
#endif

namespace halyard {

/// A flag that threads can wait for. On Linux it is one 32-bit word on a futex, so it can live on the waiter's stack
/// and there is nothing to pool.
///
/// The waiter may destroy the event as soon as Wait() returned true: Set() does not touch its memory after the flag can
/// be seen (a futex wake uses the address only).
class HostEvent {
 public:
  /// Sets the flag and wakes every waiter.
  void Set();
  /// Clears the flag; no thread may be waiting.
  void Reset() { state_.store(kClear, std::memory_order_relaxed); }
  bool IsSet() const { return state_.load(std::memory_order_acquire) == kSet; }
  /// Blocks until the flag is set; false if the deadline passed first.
  bool Wait(Deadline deadline);

 private:
  static constexpr uint32_t kClear = 0;
  static constexpr uint32_t kSet = 1;
  static constexpr uint32_t kClearWithWaiter = 2;  // Set() must make the system call

  std::atomic<uint32_t> state_{kClear};
#if !HALYARD_WAITS_ON_WORDS
  std::mutex mutex_;  // orders Set() against a waiter that is about to sleep
  std::condition_variable changed_;
#endif
};

}  // namespace halyard

#endif  // HALYARD_BASE_HOST_EVENT_H_
