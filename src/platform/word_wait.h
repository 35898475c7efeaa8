// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that sleep until a word of memory changes, where the system has this.
#ifndef HALYARD_PLATFORM_WORD_WAIT_H_
#define HALYARD_PLATFORM_WORD_WAIT_H_

#include <atomic>
#include <cstdint>

#if defined(__linux__) || defined(_WIN32)
#define HALYARD_WAITS_ON_WORDS 1
#else
#define HALYARD_WAITS_ON_WORDS 0
#endif

namespace halyard {

#if HALYARD_WAITS_ON_WORDS
/// Sleeps while `word` holds `expected`; may return early.
/// @param until  nanoseconds of std::chrono::steady_clock; UINT64_MAX for any time
void WaitOnWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept;
/// Wakes all threads that sleep there. Uses the address only, so the word may be gone.
void WakeAllOnWord(std::atomic<uint32_t>& word) noexcept;
#endif

}  // namespace halyard

#endif  // HALYARD_PLATFORM_WORD_WAIT_H_
