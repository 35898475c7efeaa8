// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/word_wait.h"

#include <algorithm>
#include <chrono>

#include "platform/windows/system_headers.h"

namespace halyard {

void WaitOnWord(std::atomic<uint32_t>& word, uint32_t expected, uint64_t until) noexcept {
  DWORD milliseconds = INFINITE;
  if (until != UINT64_MAX) {
    const auto now =
        static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
    if (now >= until) return;
    milliseconds = static_cast<DWORD>(std::min<uint64_t>((until - now) / 1'000'000 + 1, INFINITE - 1));
  }
  WaitOnAddress(&word, &expected, sizeof(expected), milliseconds);
}

void WakeAllOnWord(std::atomic<uint32_t>& word) noexcept { WakeByAddressAll(&word); }

}  // namespace halyard
