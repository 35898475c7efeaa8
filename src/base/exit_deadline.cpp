// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/exit_deadline.h"

#include <atomic>

namespace halyard {

Deadline ExitDeadline() noexcept {
  constexpr uint64_t kLongestExit = 250'000'000;  // nanoseconds
  static std::atomic<uint64_t> deadline{0};
  uint64_t known = 0;
  const uint64_t mine = DeadlineAfter(kLongestExit).nanoseconds;
  return {deadline.compare_exchange_strong(known, mine, std::memory_order_relaxed) ? mine : known};
}

}  // namespace halyard
