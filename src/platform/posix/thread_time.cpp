// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/thread_time.h"

#include <ctime>

namespace halyard {

uint64_t ProcessorTimeOfThread() noexcept {
  timespec time{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace halyard
