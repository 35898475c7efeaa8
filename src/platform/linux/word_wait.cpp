// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/word_wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace halyard {

// The deadline is absolute on CLOCK_MONOTONIC, which is what std::chrono::steady_clock reads.
void WaitOnWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept {
  constexpr uint64_t kSecond = 1'000'000'000;
  timespec time{};
  time.tv_sec = static_cast<time_t>(until / kSecond);
  time.tv_nsec = static_cast<long>(until % kSecond);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_BITSET_PRIVATE, expected,
          until == UINT64_MAX ? nullptr : &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void WakeAllOnWord(std::atomic<uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace halyard
