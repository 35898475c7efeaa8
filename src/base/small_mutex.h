// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock of four bytes.
#ifndef HALYARD_BASE_SMALL_MUTEX_H_
#define HALYARD_BASE_SMALL_MUTEX_H_

#include <atomic>
#include <cstdint>

namespace halyard {

/// As std::mutex, for short sections: four bytes instead of 40, and inline while no other thread has it. A thread that
/// finds it locked spins for a moment and then sleeps. Its memory may go as soon as the last unlock() has let another
/// thread in.
class SmallMutex {
 public:
  constexpr SmallMutex() = default;
  SmallMutex(const SmallMutex&) = delete;
  SmallMutex& operator=(const SmallMutex&) = delete;

  void lock() noexcept {
    uint32_t expected = kFree;
    if (!state_.compare_exchange_strong(expected, kLocked, std::memory_order_acquire, std::memory_order_relaxed))
        [[unlikely]] {
      LockSlowly();
    }
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      WakeOne();
  }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kLocked = 1;
  static constexpr uint32_t kAwaited = 2;  // locked, and a thread may sleep until it is free

  void LockSlowly() noexcept;
  void WakeOne() noexcept;

  std::atomic<uint32_t> state_{kFree};
};

}  // namespace halyard

#endif  // HALYARD_BASE_SMALL_MUTEX_H_
