// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random delays for all threads of the process, from one seed, and a place where one of them is stopped.
#ifndef HALYARD_TESTS_UNIT_STREAM_STRESS_DELAYS_H_
#define HALYARD_TESTS_UNIT_STREAM_STRESS_DELAYS_H_

#include <cstdint>
#include <random>
#include <string_view>

namespace halyard::stream {

/// The seed of this process: HALYARD_STRESS_SEED, or always the same. Delays follow from it; what the threads make of
/// them is also up to the machine.
uint32_t StressSeed();

/// This thread's numbers, from the seed and from how many threads have asked before.
std::minstd_rand& ThreadRandom();

/// Mostly nothing, often a moment, sometimes longer than a thread looks before it sleeps.
void HoldUp() noexcept;

/// Holds the first thread that comes by a place (submission/test_points.h) until Resume() is called. One at a time.
class Stop {
 public:
  explicit Stop(std::string_view place);
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// Waits until a thread is held; false if none comes for ten seconds.
  bool AwaitVisitor();
  /// Returns once the thread has continued.
  void Resume();
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_STRESS_DELAYS_H_
