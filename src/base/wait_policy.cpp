// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/wait_policy.h"

namespace halyard {
namespace {

constexpr uint64_t kMicrosecond = 1'000;
constexpr uint64_t kMillisecond = 1'000'000;

// A wait begins with close looks for so long: some times what waking up costs.
constexpr uint64_t kFirstLooks = 50 * kMicrosecond;
// Close looks begin a sixteenth before the expected end, and this much at most: what work of one kind differs by.
constexpr uint64_t kLeadShare = 16;
constexpr uint64_t kLongestLead = 500 * kMicrosecond;
// They go on for a quarter of the expected time after that, within these bounds. It is all that a wait of unusual
// length burns.
constexpr uint64_t kTailShare = 4;
constexpr uint64_t kShortestTail = 200 * kMicrosecond;
constexpr uint64_t kLongestTail = 2 * kMillisecond;
// Of longer waits the end is not looked for: waking up late by some 100 µs is nothing to them.
constexpr uint64_t kLongestExpected = 1000 * kMillisecond;

// A pause between looks follows the time that the wait has taken. It is this share of it where the end may come at any
// time, so the end is seen 1.6 % late on average.
constexpr uint64_t kPauseShare = 32;
// And this one before the expected end. Work that is shorter than it was lately is seen then.
constexpr uint64_t kEarlyShare = 8;
constexpr uint64_t kEarlyShareOfBlock = 2;
constexpr uint64_t kShortestPause = 20 * kMicrosecond;
constexpr uint64_t kLongestPause = kMillisecond;
// A thread looks by itself for so long, unless the end is expected later. Another thread then looks for all.
constexpr uint64_t kPatience = 20 * kMillisecond;

// A stay in a vendor's wait, which neither a failed semaphore nor a lost device ends: an eighth of the time that the
// wait has taken, and this at least.
constexpr uint64_t kVendorShare = 8;
constexpr uint64_t kShortestVendorStay = kMillisecond;
constexpr uint64_t kVendorPatience = 100 * kMillisecond;

// After an interruption threads do not poll closely for so long, and for twice as long each time that it happens again
// soon.
constexpr uint64_t kShortestQuiet = 20 * kMillisecond;
constexpr uint64_t kLongestQuiet = 5'000 * kMillisecond;
// How often the load of the machine is read. That takes as long as some short waits.
constexpr uint64_t kLoadAge = 2 * kMillisecond;

constexpr uint64_t kFirstWakeTime = 20 * kMicrosecond;
constexpr uint64_t kLongestWakeTime = kMillisecond;

// WaitHistory: 31 bits for each of two times, in units of 64 ns, and a count of the notes in the first of them.
constexpr uint64_t kUnit = 64;
constexpr uint64_t kTimeBits = 31;
constexpr uint64_t kMostUnits = (uint64_t{1} << kTimeBits) - 1;
constexpr uint64_t kNotesOfBucket = 4;

uint64_t SmallestKnown(uint64_t a, uint64_t b) { return a == 0 || b == 0 ? a + b : std::min(a, b); }

}  // namespace

void WaitHistory::Note(uint64_t duration) noexcept {
  const uint64_t packed = packed_.load(std::memory_order_relaxed);
  uint64_t count = packed >> (2 * kTimeBits);
  uint64_t now = (packed >> kTimeBits) & kMostUnits;
  uint64_t before = packed & kMostUnits;
  if (count == 0) {
    before = now;
    now = 0;
  }
  now = SmallestKnown(now, std::clamp<uint64_t>(duration / kUnit, 1, kMostUnits));
  count = (count + 1) % kNotesOfBucket;
  packed_.store(count << (2 * kTimeBits) | now << kTimeBits | before, std::memory_order_relaxed);
}

uint64_t WaitHistory::shortest() const noexcept {
  const uint64_t packed = packed_.load(std::memory_order_relaxed);
  return kUnit * SmallestKnown((packed >> kTimeBits) & kMostUnits, packed & kMostUnits);
}

WaitRoom::WaitRoom(uint32_t processors) : processors_(std::max(processors, 1u)), wake_time_(kFirstWakeTime) {}

bool WaitRoom::Enter() noexcept {
  if (lookers_.fetch_add(1, std::memory_order_relaxed) < std::max(processors_ / 2, 1u)) return true;
  Leave();
  return false;
}

bool WaitRoom::HasIdle(uint32_t working, uint64_t now) const noexcept {
  if (processors_ < 2 || uint64_t{working} + lookers_.load(std::memory_order_relaxed) > processors_) return false;
  return !is_loaded_.load(std::memory_order_relaxed) && now >= quiet_until_.load(std::memory_order_relaxed);
}

void WaitRoom::NoteInterrupted(uint64_t now) noexcept {
  const uint64_t last_end = quiet_until_.load(std::memory_order_relaxed);
  const uint64_t last = quiet_for_.load(std::memory_order_relaxed);
  if (now < last_end) return;  // another thread noted it
  const bool is_soon = now - last_end < kShortestQuiet + 2 * last;
  const uint64_t quiet = last != 0 && is_soon ? std::min(2 * last, kLongestQuiet) : kShortestQuiet;
  quiet_for_.store(quiet, std::memory_order_relaxed);
  quiet_until_.store(now + quiet, std::memory_order_relaxed);
}

bool WaitRoom::WantsLoad(uint64_t start, uint64_t now) noexcept {
  if (now - start < kFirstLooks && !is_loaded_.load(std::memory_order_relaxed)) return false;
  uint64_t last = load_time_.load(std::memory_order_relaxed);
  return now - last >= kLoadAge && last <= now &&
         load_time_.compare_exchange_strong(last, now, std::memory_order_relaxed);
}

void WaitRoom::NoteLate(uint64_t late) noexcept {
  const uint64_t before = wake_time();
  late = std::min(late, kLongestWakeTime);
  wake_time_.store(late > before ? before + (late - before + 1) / 2 : before - (before - late) / 8,
                   std::memory_order_relaxed);
}

WaitPlan::WaitPlan(WaitRoom& room, const Wait& wait) noexcept
    : room_(room),
      mode_(wait.mode),
      start_(wait.now),
      deadline_(wait.deadline),
      close_(wait.now),
      close_end_(wait.now),
      has_place_((mode_ == WaitMode::kAuto || mode_ == WaitMode::kBlock) && room.Enter()) {
  const uint64_t expected = wait.expected;
  if (expected == 0 || expected > kLongestExpected) return;
  const uint64_t end = start_ + expected;
  if (mode_ == WaitMode::kBlock) {
    close_ = close_end_ = end;
    return;
  }
  const uint64_t lead = std::min(expected / kLeadShare, kLongestLead) + room.wake_time();
  close_end_ = end + std::clamp(expected / kTailShare, kShortestTail, kLongestTail);
  // A sleep that is not much longer than it takes to wake up is none.
  const uint64_t shortest_sleep = kShortestPause + 2 * room.wake_time();
  if (end > start_ + kFirstLooks + shortest_sleep + lead) close_ = end - lead;
}

void WaitPlan::LeaveRoom() noexcept {
  if (has_place_) room_.Leave();
  has_place_ = false;
}

WaitStep WaitPlan::Next(uint64_t now, uint32_t working, Wake wake) noexcept {
  Learn(now);
  last_ = Choose(now, working, wake);
  return last_;
}

void WaitPlan::Learn(uint64_t now) noexcept {
  if (last_.kind == WaitStep::Kind::kSleep && now >= last_.until) room_.NoteLate(now - last_.until);
}

WaitStep WaitPlan::Choose(uint64_t now, uint32_t working, Wake wake) noexcept {
  using Kind = WaitStep::Kind;
  if (now >= deadline_) return {Kind::kTimeOut};
  if (mode_ == WaitMode::kSpin) return {Kind::kLook};
  if (mode_ == WaitMode::kYield) return {Kind::kYield};
  if (!has_place_) return {Kind::kBlock, deadline_};
  const bool is_close = now < start_ + kFirstLooks || (now >= close_ && now < close_end_);
  if (mode_ == WaitMode::kAuto && is_close && room_.HasIdle(working, now)) return {Kind::kLook};
  const uint64_t next_close = mode_ == WaitMode::kAuto && now < close_ ? close_ : UINT64_MAX;
  // A thread that sleeps to the end needs no place: the next one may look.
  if (next_close == UINT64_MAX && (wake == Wake::kAlways || wake == Wake::kIfAsked)) LeaveRoom();
  if (wake == Wake::kAlways) return SleepBefore(next_close);
  if (wake == Wake::kIfAsked) return {Kind::kBlock, std::min(next_close, deadline_)};
  const uint64_t patience = wake == Wake::kInSleep ? kVendorPatience : kPatience;
  if (now - start_ < patience || now < close_end_) return SleepBefore(std::min(next_close, now + PauseAt(now, wake)));
  LeaveRoom();
  return {Kind::kBlock, deadline_};
}

uint64_t WaitPlan::PauseAt(uint64_t now, Wake wake) const noexcept {
  const uint64_t elapsed = now - start_;
  if (wake == Wake::kInSleep) return std::clamp(elapsed / kVendorShare, kShortestVendorStay, kLongestVendorWait);
  if (now < close_) {
    const uint64_t pause = elapsed / (mode_ == WaitMode::kBlock ? kEarlyShareOfBlock : kEarlyShare);
    return std::min(std::max(pause, kShortestPause), close_ - now);
  }
  // Just past the expected end it may come at any moment.
  const uint64_t pause = std::min(elapsed / kPauseShare, (now - close_) / 2);
  return std::clamp(pause, kShortestPause, kLongestPause);
}

}  // namespace halyard
