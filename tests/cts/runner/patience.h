// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long one test of the suite may take before the watchdog ends the program.
#ifndef HALYARD_TESTS_CTS_RUNNER_PATIENCE_H_
#define HALYARD_TESTS_CTS_RUNNER_PATIENCE_H_

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace halyard::cts {

/// How often tests open the device under test, one time after the other or from several threads.
inline constexpr size_t kOpeningsInTurn = 20;
inline constexpr size_t kOpeningThreads = 4;
inline constexpr size_t kOpeningsOfAThread = 4;
/// The most times that one test opens a device.
inline constexpr size_t kMostOpenings = 32;
static_assert(kOpeningsInTurn < kMostOpenings && kOpeningThreads * kOpeningsOfAThread < kMostOpenings);

/// The bounded waits of a test end after `wait` each; only a test that outlives several of them hangs permanently. What
/// is short because the waits are must still leave time to work. A test that opens devices takes as long as that takes,
/// even if its threads open them one after the other.
///
/// @param opening  what opening the device under test took
inline std::chrono::nanoseconds Patience(std::chrono::nanoseconds wait, std::chrono::nanoseconds opening) {
  return std::max(3 * wait, std::chrono::nanoseconds(std::chrono::seconds(30))) + kMostOpenings * opening;
}

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_RUNNER_PATIENCE_H_
