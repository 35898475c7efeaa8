// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether another thread had the processor while a thread polled.
#ifndef HALYARD_BASE_LOOK_TIMES_H_
#define HALYARD_BASE_LOOK_TIMES_H_

#include <cstdint>
#include <utility>

namespace halyard {

/// The times of one thread's looks in one wait. A long step of looks need not be an interruption: the thread itself
/// retires what is done, and asks the vendor. So the time that has passed is compared with the thread's processor time.
///
/// Reads no clock of its own. It asks for the processor time once after some microseconds of looks, so that a short
/// wait does not pay for it, and after each long step.
class LookTimes {
 public:
  /// Between two steps of looks there is less than this, unless the thread works or is interrupted.
  static constexpr uint64_t kLongStep = 100'000;
  /// So long after the first look the processor time is read.
  static constexpr uint64_t kFirstRead = 5'000;

  /// Whether the thread was interrupted since the last call. Called before each step.
  /// @param now             nanoseconds of the monotonic clock
  /// @param looked          whether the thread looked, and did not sleep, since the last call
  /// @param processor_time  a function that returns nanoseconds for which the thread has had a processor
  template <typename ProcessorTime>
  bool WasInterrupted(uint64_t now, bool looked, const ProcessorTime& processor_time) {
    const uint64_t last = std::exchange(last_, now);
    if (!looked) {
      begin_ = now;
      knows_away_ = false;
      return false;
    }
    if (knows_away_ ? now - last <= kLongStep : now - begin_ < kFirstRead) return false;
    const uint64_t before = std::exchange(away_, now - processor_time());
    return std::exchange(knows_away_, true) && static_cast<int64_t>(away_ - before) > int64_t{kLongStep};
  }

 private:
  uint64_t last_ = 0;
  uint64_t begin_ = 0;  // of the looks
  uint64_t away_ = 0;   // how long the thread had no processor, from some time on
  bool knows_away_ = false;
};

}  // namespace halyard

#endif  // HALYARD_BASE_LOOK_TIMES_H_
