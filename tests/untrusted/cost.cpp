// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "untrusted/cost.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "allocations/counting_allocator.h"
#include "halyard/status.h"

namespace halyard::testing {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kBytesForEach = 64;
constexpr double kFreeBytes = 16 * kMiB;
#if defined(HALYARD_SANITIZED)
constexpr double kSlowdown = 20;
#else
constexpr double kSlowdown = 1;
#endif

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

void ExpectCheap(const std::string& what, size_t size, const std::function<void()>& read) {
  const auto bytes = static_cast<double>(size);
  const int64_t before = allocations::LiveLibraryBytes();
  allocations::ForgetPeak();
  const double start = ProcessorSeconds();
  read();
  const double seconds = ProcessorSeconds() - start;
  const auto taken = static_cast<double>(allocations::PeakLibraryBytes() - before);
  EXPECT_LE(taken, kBytesForEach * bytes + kFreeBytes) << what << ": bytes of memory for a file of " << size;
  EXPECT_LE(seconds, kSlowdown * std::max(1.0, bytes / kMiB)) << what << ": seconds for a file of " << size;
  if (std::getenv("HALYARD_SHOW_COSTS")) {
    std::fprintf(stderr, "%s\n%-44s %8zu bytes: %6.1f bytes a byte, %6.1f MiB, %7.3f s, %6.3f s a MiB\n",
                 hal_last_error_message(), what.c_str(), size, taken / bytes, taken / kMiB, seconds,
                 seconds * kMiB / bytes);
  }
}

}  // namespace halyard::testing
