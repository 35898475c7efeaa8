// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/small_mutex.h"

#include "base/prefetch.h"

namespace halyard {

void SmallMutex::LockSlowly() noexcept {
  constexpr int kSpins = 100;  // about as long as a section takes
  for (int i = 0; i < kSpins; ++i) {
    uint32_t expected = kFree;
    if (state_.load(std::memory_order_relaxed) == kFree &&
        state_.compare_exchange_weak(expected, kLocked, std::memory_order_acquire, std::memory_order_relaxed)) {
      return;
    }
    Relax();
  }
  // From here on it is marked as awaited, even if this thread is the only one: it cannot know.
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
    state_.wait(kAwaited, std::memory_order_relaxed);
  }
}

// Only the address is used: the memory may be another object's by now, which a spurious wake does no harm.
void SmallMutex::WakeOne() noexcept { state_.notify_one(); }

}  // namespace halyard
