// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how long threads poll, and how long they sleep before they look again. No other file decides that.
#ifndef HALYARD_BASE_WAIT_POLICY_H_
#define HALYARD_BASE_WAIT_POLICY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace halyard {

// All times are in nanoseconds. What is here reads no clock: a thread passes what it read. tests/unit/base tells what
// each class decides.

/// How the threads of the application wait: the parameter `wait` of a device, and flags of a wait.
enum class WaitMode : uint8_t {
  kAuto,   ///< polls closely around the time at which the work is expected to end, and sleeps otherwise
  kSpin,   ///< polls until the end
  kYield,  ///< the same, and offers its processor to other threads in between
  kBlock,  ///< sleeps
};

/// @name Polls and pauses of the library's own threads
/// @{

/// Looks between two looks at the clock.
inline constexpr int kLooksPerStep = 16;
/// How long the completion thread polls for what a caller waits for before its first pause.
inline constexpr uint64_t kCompletionPolls = 20'000;
/// The pause of a thread that ends the process, or the library, and looks whether others have ended.
inline constexpr uint64_t kExitPause = 50'000;
/// The longest time that a thread of the library stays in a vendor's wait, as the end of the process waits for it.
inline constexpr uint64_t kLongestVendorWait = 100'000'000;
/// How often a thread looks for values of events of the application that their API does not tell of.
inline constexpr uint64_t kWatchPause = 50'000'000;
/// How often the completion thread dozes with nothing in flight before it sleeps until it is woken.
inline constexpr int kIdleDozes = 10;

/// Pauses that grow: each is longer than the last one by a share of it.
class Pauses {
 public:
  struct Kind {
    uint64_t first;
    uint64_t longest;
    uint64_t share;  ///< 1 doubles them, 16 makes a pause follow a sixteenth of the time that passed
  };
  constexpr explicit Pauses(Kind kind) : kind_(kind), pause_(kind.first) {}

  uint64_t Next() {
    const uint64_t pause = pause_;
    pause_ = std::min(pause_ + pause_ / kind_.share, kind_.longest);
    return pause;
  }
  void Restart() { pause_ = kind_.first; }

 private:
  Kind kind_;
  uint64_t pause_;
};

/// A caller waits, and the vendor has no wait with a limit.
inline constexpr Pauses::Kind kPausesForCallers = {20'000, 1'000'000, 16};
/// Work is in flight that no caller waits for.
inline constexpr Pauses::Kind kPausesInFlight = {1'000'000, 16'000'000, 1};
/// A thread waits until all operations of a device are over.
inline constexpr Pauses::Kind kPausesOfDrain = {5'000, 1'000'000, 1};

/// Which threads of a pool look for work before they sleep. With the pool's lock.
class Lookouts {
 public:
  /// How long a lookout looks, and a caller for the end of its loop: about what waking up costs. More lookouts, or a
  /// longer watch, leave no processor to the threads that work wakes.
  static constexpr uint64_t kWatch = 50'000;

  /// With one lookout, work that comes while the only thread that was awake is about to end its item would wake another
  /// each time. On two processors a second one takes that of the thread that brings the work.
  explicit Lookouts(uint32_t processors) : most_(processors > 2 ? 2 : 1) {}

  /// Whether a thread may look. After some useless watches in a row threads sleep at once, until work comes soon after
  /// one fell asleep.
  bool may_look() const { return count_ < most_ && misses_ < kMostMisses; }
  void Begin() { ++count_; }
  /// Work that `came` late came to a thread that had to wait for its processor: one that slept would have been there
  /// sooner.
  void End(bool came, uint64_t taken) {
    --count_;
    misses_ = came && taken < kShortSleep ? 0 : misses_ + 1;
  }
  /// A thread has slept: a watch would have saved a short sleep.
  void NoteSleep(uint64_t taken) {
    if (taken < kShortSleep) misses_ = 0;
  }

 private:
  static constexpr int kMostMisses = 3;
  static constexpr uint64_t kShortSleep = kWatch + 25'000;  // a watch, and what waking up takes

  const int most_;
  int count_ = 0;
  int misses_ = 0;  // watches in a row that saw no work
};

/// @}
/// @name Waits of the application's threads
/// @{

/// How long the waits of one timeline took lately, in 8 bytes. Thread-safe; of two notes at the same time one may be
/// lost.
class WaitHistory {
 public:
  void Note(uint64_t duration) noexcept;
  /// The shortest of the last four to eight; 0 if there were none. The shortest, as the end is to be seen that comes
  /// early, and what comes late costs a few looks more.
  uint64_t shortest() const noexcept;

 private:
  std::atomic<uint64_t> packed_{0};  // the shortest of the last four, that of the four before, and a count
};

/// The processors of the process, and the threads that use some of them to wait. Thread-safe.
class WaitRoom {
 public:
  explicit WaitRoom(uint32_t processors);
  WaitRoom(const WaitRoom&) = delete;
  WaitRoom& operator=(const WaitRoom&) = delete;

  /// Takes a place for a thread that looks by itself: there is one for every second processor. False if none is free.
  bool Enter() noexcept;
  void Leave() noexcept { lookers_.fetch_sub(1, std::memory_order_relaxed); }
  /// Whether a thread that has a place may keep its processor busy: there is one for each of them, and for each of the
  /// library's threads that work, no poll was interrupted lately, and the machine has a processor for each thread.
  /// @param working  threads of the library that work
  bool HasIdle(uint32_t working, uint64_t now) const noexcept;
  /// Another thread had the processor while a thread polled. No thread polls closely for a while then, and for longer
  /// if it happens again soon after.
  void NoteInterrupted(uint64_t now) noexcept;
  /// Whether the load of the machine is to be read anew. True for one of several threads. A wait that began at `start`
  /// has no time for that in its first looks, unless the load keeps it from looking.
  bool WantsLoad(uint64_t start, uint64_t now) noexcept;
  /// The machine has so many processors, and so many threads that want one; 0 if unknown.
  void NoteLoad(uint32_t processors, uint32_t runnable) noexcept {
    is_loaded_.store(runnable > processors, std::memory_order_relaxed);
  }
  /// A sleep ended so much later than it was to.
  void NoteLate(uint64_t late) noexcept;
  /// How late sleeps may end: rises with each that ends later, and falls slowly.
  uint64_t wake_time() const noexcept { return wake_time_.load(std::memory_order_relaxed); }

 private:
  const uint32_t processors_;
  std::atomic<uint32_t> lookers_{0};
  std::atomic<bool> is_loaded_{false};  // as of load_time_
  std::atomic<uint64_t> load_time_{0};
  std::atomic<uint64_t> quiet_until_{0};  // no close polls before
  std::atomic<uint64_t> quiet_for_{0};    // how long that took, or takes
  std::atomic<uint64_t> wake_time_;
};

/// What ends the sleep of a thread that waits.
enum class Wake {
  kAlways,   ///< the end of the wait
  kInSleep,  ///< the same, in a vendor's wait, which is to be short: nothing else ends it
  kIfLooks,  ///< nothing, unless the thread looks, or another one is asked to
  kIfAsked,  ///< nothing, unless another thread is asked to look
};

/// What a thread does next.
struct WaitStep {
  enum class Kind {
    kLook,     ///< look some times
    kYield,    ///< offer the processor to other threads, and look
    kSleep,    ///< sleep until `until`, or until woken, and look
    kBlock,    ///< ask another thread to look, and sleep until woken; `until` is the deadline
    kTimeOut,  ///< the deadline has passed
  };
  Kind kind;
  uint64_t until = 0;
};

/// The plan of one wait. One thread uses it.
///
/// `auto` polls closely for a moment, as short work ends in it. Then it sleeps until shortly before the end that the
/// timeline's history lets it expect, polls closely past that end, and sleeps until it is woken. Where only a look
/// tells of the end, it sleeps in pauses that follow the time it has waited. It polls closely only while there is an
/// idle processor for it, and for some milliseconds of a wait at most.
class WaitPlan {
 public:
  struct Wait {
    WaitMode mode = WaitMode::kAuto;
    uint64_t now = 0;                ///< when it begins
    uint64_t deadline = UINT64_MAX;  ///< UINT64_MAX for none
    uint64_t expected = 0;           ///< how long it takes; 0 if unknown
  };
  /// `room` must outlive the plan.
  WaitPlan(WaitRoom& room, const Wait& wait) noexcept;
  ~WaitPlan() { LeaveRoom(); }
  WaitPlan(const WaitPlan&) = delete;
  WaitPlan& operator=(const WaitPlan&) = delete;

  /// Called again after the thread has done that, at the time `now`, unless the wait is over.
  /// @param working  threads of the library that work
  WaitStep Next(uint64_t now, uint32_t working, Wake wake) noexcept;

 private:
  void Learn(uint64_t now) noexcept;
  WaitStep Choose(uint64_t now, uint32_t working, Wake wake) noexcept;
  WaitStep SleepBefore(uint64_t until) const noexcept { return {WaitStep::Kind::kSleep, std::min(until, deadline_)}; }
  uint64_t PauseAt(uint64_t now, Wake wake) const noexcept;
  void LeaveRoom() noexcept;

  WaitRoom& room_;
  const WaitMode mode_;
  const uint64_t start_;
  const uint64_t deadline_;
  uint64_t close_ = 0;  // when close looks begin again, and end; both are start_ if nothing is expected
  uint64_t close_end_ = 0;
  bool has_place_ = false;
  WaitStep last_{WaitStep::Kind::kSleep, UINT64_MAX};
};

/// @}

}  // namespace halyard

#endif  // HALYARD_BASE_WAIT_POLICY_H_
