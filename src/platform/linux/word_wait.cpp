// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/word_wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "platform/shared_memory.h"

namespace halyard {
namespace {

// The deadline is absolute on CLOCK_MONOTONIC, which is what std::chrono::steady_clock reads.
void Wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until, int operation) noexcept {
  constexpr uint64_t kSecond = 1'000'000'000;
  timespec time{};
  time.tv_sec = static_cast<time_t>(until / kSecond);
  time.tv_nsec = static_cast<long>(until % kSecond);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation, expected, until == UINT64_MAX ? nullptr : &time,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

void WakeAll(std::atomic<uint32_t>& word, int operation) noexcept {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

void WaitOnWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept {
  Wait(word, expected, until, FUTEX_WAIT_BITSET_PRIVATE);
}
void WakeAllOnWord(std::atomic<uint32_t>& word) noexcept { WakeAll(word, FUTEX_WAKE_PRIVATE); }

void WaitOnSharedWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept {
  Wait(word, expected, until, FUTEX_WAIT_BITSET);
}
void WakeAllOnSharedWord(std::atomic<uint32_t>& word) noexcept { WakeAll(word, FUTEX_WAKE); }

}  // namespace halyard
