// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's monotonic clock, and deadlines on it.
#ifndef HALYARD_BASE_CLOCK_H_
#define HALYARD_BASE_CLOCK_H_

#include <chrono>
#include <cstdint>

#include "halyard/base.h"

namespace halyard {

inline constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// Nanoseconds of the monotonic clock.
inline uint64_t MonotonicNanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// A point in monotonic time; `kNever` is never reached.
struct Deadline {
  static constexpr uint64_t kNever = UINT64_MAX;
  uint64_t nanoseconds = kNever;

  bool infinite() const { return nanoseconds == kNever; }
  bool passed() const { return !infinite() && MonotonicNanoseconds() >= nanoseconds; }
};

/// The deadline of a timeout as the API gives it. One too long for the clock never runs out.
inline Deadline DeadlineAfter(uint64_t timeout_ns) {
  if (timeout_ns == HAL_TIMEOUT_INFINITE) return {};
  const uint64_t now = MonotonicNanoseconds();
  const uint64_t latest = static_cast<uint64_t>(INT64_MAX);
  if (timeout_ns >= latest - now) return {};
  return {now + timeout_ns};
}

}  // namespace halyard

#endif  // HALYARD_BASE_CLOCK_H_
