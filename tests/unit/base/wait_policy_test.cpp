// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The policy reads no clock: the tests make up the times.
#include "base/wait_policy.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/look_times.h"

namespace halyard {
namespace {

using Kind = WaitStep::Kind;

constexpr uint64_t kUs = 1'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kStart = 1'000 * kMs;
constexpr uint64_t kNever = UINT64_MAX;

/// What became of a wait whose thread does what its plan says.
struct Outcome {
  uint64_t seen = 0;   ///< when the thread saw the end, after the wait began
  uint64_t burnt = 0;  ///< how long it kept its processor busy
  int sleeps = 0;
  bool blocked = false;  ///< whether it left looking to another thread
  bool timed_out = false;
};

/// A machine on which a step of looks takes a microsecond and waking up takes `wake_time`.
struct Machine {
  WaitRoom room{16};
  uint32_t working = 0;
  uint64_t wake_time = 5 * kUs;

  Outcome Run(WaitPlan::Wait wait, uint64_t duration, Wake wake) {
    wait.now = kStart;
    WaitPlan plan(room, wait);
    Outcome outcome;
    const uint64_t end = duration == kNever ? kNever : kStart + duration;
    uint64_t now = kStart;
    while (now < end) {
      const WaitStep step = plan.Next(now, working, wake);
      switch (step.kind) {
        case Kind::kTimeOut:
          outcome.timed_out = true;
          outcome.seen = now - kStart;
          return outcome;
        case Kind::kLook:
        case Kind::kYield:
          now += kUs;
          outcome.burnt += kUs;
          break;
        case Kind::kBlock:
          outcome.blocked = true;
          ++outcome.sleeps;
          now = std::min(step.until, end) + wake_time;
          break;
        case Kind::kSleep:
          ++outcome.sleeps;
          now = (wake == Wake::kIfLooks ? step.until : std::min(step.until, end)) + wake_time;
          break;
      }
      if (now > kStart + 1'000'000 * kMs) break;
    }
    outcome.seen = now - kStart;
    return outcome;
  }
  /// A timeline whose work always takes so long: the outcome once it has been learnt.
  Outcome Learn(uint64_t duration, Wake wake, WaitMode mode = WaitMode::kAuto) {
    WaitHistory history;
    Outcome outcome;
    for (int i = 0; i < 20; ++i) {
      outcome = Run({.mode = mode, .expected = history.shortest()}, duration, wake);
      history.Note(outcome.seen);
    }
    return outcome;
  }
};

TEST(WaitHistory, KnowsTheShortestOfTheLastFourToEight) {
  WaitHistory history;
  EXPECT_EQ(history.shortest(), 0u);
  history.Note(640 * kUs);
  EXPECT_EQ(history.shortest(), 640 * kUs);
  history.Note(64 * kUs);
  history.Note(6400 * kUs);
  EXPECT_EQ(history.shortest(), 64 * kUs);
  for (int i = 0; i < 4; ++i) history.Note(6400 * kUs);
  EXPECT_EQ(history.shortest(), 64 * kUs) << "four later ones do not hide it";
  for (int i = 0; i < 2; ++i) history.Note(6400 * kUs);
  EXPECT_EQ(history.shortest(), 6400 * kUs) << "eight do";
}

TEST(WaitHistory, TimesOfAnyLengthHaveAPlace) {
  WaitHistory history;
  for (int i = 0; i < 8; ++i) history.Note(UINT64_MAX);
  EXPECT_GT(history.shortest(), 100'000 * kMs);
  history.Note(0);
  EXPECT_GT(history.shortest(), 0u) << "0 means that there were none";
  EXPECT_LT(history.shortest(), kUs);
}

TEST(WaitPlan, LearntWorkIsSeenAtItsEndAndBurnsLittle) {
  for (const Wake wake : {Wake::kAlways, Wake::kInSleep, Wake::kIfLooks}) {
    for (const uint64_t duration : {60 * kUs, 98 * kUs, 250 * kUs, 925 * kUs, 3 * kMs, 9198 * kUs, 40 * kMs}) {
      Machine machine;
      const Outcome outcome = machine.Learn(duration, wake);
      EXPECT_LE(outcome.seen, duration + 2 * kUs) << duration;
      EXPECT_LE(outcome.burnt, 350 * kUs + duration / 8) << duration;
      EXPECT_FALSE(outcome.blocked) << duration;
    }
  }
}

TEST(WaitPlan, SlowWakesAreLearntToo) {
  Machine machine;
  machine.wake_time = 250 * kUs;
  const Outcome outcome = machine.Learn(9198 * kUs, Wake::kIfLooks);
  EXPECT_LE(outcome.seen, 9200 * kUs);
}

TEST(WaitPlan, UnknownWorkIsSeenAFewPercentLate) {
  for (const uint64_t duration : {30 * kUs, 100 * kUs, 925 * kUs, 9198 * kUs}) {
    Machine machine;
    const Outcome outcome = machine.Run({}, duration, Wake::kIfLooks);
    EXPECT_LE(outcome.seen, duration + duration / 30 + 30 * kUs) << duration;
    EXPECT_LE(outcome.burnt, 60 * kUs) << duration;
    EXPECT_LE(outcome.sleeps, 250) << duration;
  }
}

TEST(WaitPlan, WorkThatIsShorterThanLatelyIsSeenBeforeItsTime) {
  Machine machine;
  const Outcome outcome = machine.Run({.expected = 9 * kMs}, 500 * kUs, Wake::kIfLooks);
  EXPECT_LE(outcome.seen, 600 * kUs);
  EXPECT_EQ(machine.Run({.expected = 9 * kMs}, 500 * kUs, Wake::kAlways).seen, 500 * kUs + machine.wake_time);
}

TEST(WaitPlan, WorkThatDoesNotComeBurnsNoProcessor) {
  for (const uint64_t expected : {uint64_t{0}, 98 * kUs, 9 * kMs, 500 * kMs, 5000 * kMs}) {
    for (const Wake wake : {Wake::kAlways, Wake::kInSleep, Wake::kIfLooks, Wake::kIfAsked}) {
      Machine machine;
      const Outcome outcome = machine.Run({.deadline = kStart + 60'000 * kMs, .expected = expected}, kNever, wake);
      EXPECT_TRUE(outcome.timed_out);
      EXPECT_LE(outcome.burnt, 3 * kMs) << expected;
      EXPECT_LE(outcome.sleeps, 700) << expected;
      EXPECT_GE(outcome.seen, 60'000 * kMs);
      EXPECT_LE(outcome.seen, 60'000 * kMs + 2 * machine.wake_time) << "the deadline ends every sleep";
      EXPECT_EQ(outcome.blocked, wake != Wake::kAlways) << "another thread looks in the end";
    }
  }
}

TEST(WaitPlan, WithoutIdleProcessorsNoThreadPollsClosely) {
  Machine crowded;
  crowded.working = 16;  // threads of the library on all processors
  Outcome outcome = crowded.Learn(925 * kUs, Wake::kIfLooks);
  EXPECT_EQ(outcome.burnt, 0u);
  EXPECT_LE(outcome.seen, 925 * kUs + 40 * kUs);

  WaitRoom one(1);
  WaitPlan plan(one, {.now = kStart, .expected = 98 * kUs});
  EXPECT_EQ(plan.Next(kStart, 0, Wake::kIfLooks).kind, Kind::kSleep);
}

/// A thread that looks: time passes for it, in which it works or another one has the processor.
struct LookingThread {
  LookTimes times;
  uint64_t now = kStart;
  uint64_t worked = 0;
  int reads = 0;

  bool Step(uint64_t work, uint64_t away, bool looked = true) {
    now += work + away;
    worked += work;
    return times.WasInterrupted(now, looked, [this] {
      ++reads;
      return worked;
    });
  }
  void Begin() {
    EXPECT_FALSE(Step(0, 3 * kMs, /*looked=*/false));
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(Step(kUs, 0));
  }
};

TEST(LookTimes, TimeOfOtherThreadsIsAnInterruption) {
  LookingThread thread;
  thread.Begin();
  EXPECT_TRUE(thread.Step(kUs, 3 * kMs));
  EXPECT_FALSE(thread.Step(kUs, 0)) << "it is told once";
  EXPECT_TRUE(thread.Step(kUs, 3 * kMs));
}

TEST(LookTimes, WorkOfTheThreadItselfIsNone) {
  LookingThread thread;
  thread.Begin();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(thread.Step(3 * kMs, 10 * kUs));
  EXPECT_TRUE(thread.Step(3 * kMs, 3 * kMs)) << "both at once";
}

TEST(LookTimes, SleepIsNone) {
  LookingThread thread;
  thread.Begin();
  EXPECT_FALSE(thread.Step(kUs, 3 * kMs, /*looked=*/false));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(thread.Step(kUs, 0));
  EXPECT_FALSE(thread.Step(3 * kMs, 0)) << "nor the sleep before a long step";
}

TEST(LookTimes, ShortWaitsDoNotReadTheProcessorTime) {
  LookingThread thread;
  EXPECT_FALSE(thread.Step(0, 0, /*looked=*/false));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(thread.Step(kUs, 0));
  EXPECT_EQ(thread.reads, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(thread.Step(kUs, 0));
  EXPECT_EQ(thread.reads, 1);
}

TEST(WaitPlan, APollThatWasInterruptedStopsPollsForAWhile) {
  WaitRoom room(16);
  WaitPlan plan(room, {.now = kStart, .expected = 98 * kUs});
  EXPECT_EQ(plan.Next(kStart, 0, Wake::kIfLooks).kind, Kind::kLook);
  EXPECT_EQ(plan.Next(kStart + 2 * kUs, 0, Wake::kIfLooks).kind, Kind::kLook);
  const uint64_t back = kStart + 3 * kMs;  // another thread had the processor
  room.NoteInterrupted(back);
  EXPECT_EQ(plan.Next(back, 0, Wake::kIfLooks).kind, Kind::kSleep);
  WaitPlan next(room, {.now = back + kMs, .expected = 98 * kUs});
  EXPECT_EQ(next.Next(back + kMs, 0, Wake::kIfLooks).kind, Kind::kSleep);
  WaitPlan later(room, {.now = back + 100 * kMs, .expected = 98 * kUs});
  EXPECT_EQ(later.Next(back + 100 * kMs, 0, Wake::kIfLooks).kind, Kind::kLook);
}

TEST(WaitRoom, InterruptionsThatComeBackKeepPollsAwayForLonger) {
  WaitRoom room(16);
  uint64_t now = kStart;
  uint64_t last = 0;
  for (int i = 0; i < 12; ++i) {
    room.NoteInterrupted(now);
    const uint64_t begin = now;
    while (!room.HasIdle(0, now)) now += kMs;
    EXPECT_GE(now - begin, last);
    last = now - begin;
    now += kMs;
  }
  EXPECT_GE(last, 1'000 * kMs);
  EXPECT_LE(last, 10'000 * kMs);
  now += 60'000 * kMs;
  room.NoteInterrupted(now);
  EXPECT_TRUE(room.HasIdle(0, now + 50 * kMs)) << "one that comes alone is soon forgotten";
}

TEST(WaitRoom, ALoadedMachineHasNoIdleProcessor) {
  WaitRoom room(16);
  const uint64_t wait = kStart - kMs;  // when it began
  EXPECT_FALSE(room.WantsLoad(kStart, kStart + 10 * kUs)) << "a short wait is over sooner than the load is read";
  EXPECT_TRUE(room.WantsLoad(wait, kStart));
  EXPECT_FALSE(room.WantsLoad(wait, kStart + kUs)) << "it was read just now";
  room.NoteLoad(16, 16);
  EXPECT_TRUE(room.HasIdle(0, kStart));
  room.NoteLoad(16, 17);
  EXPECT_FALSE(room.HasIdle(0, kStart));
  EXPECT_TRUE(room.WantsLoad(kStart + 10 * kMs, kStart + 10 * kMs)) << "short waits, too, find out that it is over";
  room.NoteLoad(0, 0);
  EXPECT_TRUE(room.HasIdle(0, kStart)) << "a system that does not tell";
}

TEST(WaitPlan, OfManyWaitersOneForEverySecondProcessorLooks) {
  WaitRoom room(8);
  std::vector<std::unique_ptr<WaitPlan>> plans;
  uint64_t now = kStart;
  const auto start = [&] {
    plans.push_back(std::make_unique<WaitPlan>(room, WaitPlan::Wait{.now = now}));
    return plans.back()->Next(now, 0, Wake::kIfLooks).kind;
  };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(start(), Kind::kLook) << i;
  for (int i = 4; i < 64; ++i) EXPECT_EQ(start(), Kind::kBlock) << i;
  plans.erase(plans.begin());
  EXPECT_EQ(start(), Kind::kLook) << "a wait that is over gives its place to another one";
  now += 1'000 * kMs;
  EXPECT_EQ(plans.front()->Next(now, 0, Wake::kIfLooks).kind, Kind::kBlock);
  now += 100 * kMs;
  EXPECT_EQ(start(), Kind::kLook) << "so does one that left looking to another thread";
}

TEST(WaitPlan, ThreadsThatSleepToTheEndLeaveTheirPlacesToOthers) {
  for (const Wake wake : {Wake::kAlways, Wake::kIfAsked}) {
    for (const WaitMode mode : {WaitMode::kAuto, WaitMode::kBlock}) {
      WaitRoom room(8);
      std::vector<std::unique_ptr<WaitPlan>> parked;
      for (int i = 0; i < 64; ++i) {
        parked.push_back(std::make_unique<WaitPlan>(room, WaitPlan::Wait{.mode = mode, .now = kStart}));
        const WaitStep step = parked.back()->Next(kStart + kMs, 0, wake);
        EXPECT_EQ(step.kind, wake == Wake::kAlways ? Kind::kSleep : Kind::kBlock) << i;
        EXPECT_EQ(step.until, kNever) << i;
      }
      WaitPlan next(room, {.now = kStart});
      EXPECT_EQ(next.Next(kStart, 0, wake).kind, Kind::kLook);
    }
  }
}

TEST(WaitPlan, AThreadThatSleepsUntilItLooksAgainKeepsItsPlace) {
  WaitRoom room(2);
  WaitPlan plan(room, {.now = kStart, .expected = 9 * kMs});
  EXPECT_EQ(plan.Next(kStart + kMs, 0, Wake::kAlways).kind, Kind::kSleep);
  WaitPlan other(room, {.now = kStart});
  EXPECT_EQ(other.Next(kStart, 0, Wake::kAlways).kind, Kind::kBlock);
  EXPECT_EQ(plan.Next(kStart + 9 * kMs, 0, Wake::kAlways).kind, Kind::kLook);
}

TEST(WaitPlan, ModesAreKept) {
  for (const Wake wake : {Wake::kAlways, Wake::kInSleep, Wake::kIfLooks, Wake::kIfAsked}) {
    Machine machine;
    Outcome outcome = machine.Run({.mode = WaitMode::kSpin}, 50 * kMs, wake);
    EXPECT_EQ(outcome.sleeps, 0);
    EXPECT_LE(outcome.seen, 50 * kMs + kUs);
    outcome = machine.Run({.mode = WaitMode::kYield}, 50 * kMs, wake);
    EXPECT_EQ(outcome.sleeps, 0);
    outcome = machine.Learn(925 * kUs, wake, WaitMode::kBlock);
    EXPECT_EQ(outcome.burnt, 0u);
    EXPECT_LE(outcome.seen, 925 * kUs + 40 * kUs);
    EXPECT_LE(outcome.sleeps, 12);
  }
  WaitRoom room(16);
  WaitPlan spin(room, {.mode = WaitMode::kSpin, .now = kStart, .deadline = kStart + kMs});
  EXPECT_EQ(spin.Next(kStart + kMs - 1, 0, Wake::kIfLooks).kind, Kind::kLook);
  EXPECT_EQ(spin.Next(kStart + kMs, 0, Wake::kIfLooks).kind, Kind::kTimeOut);
  WaitPlan yield(room, {.mode = WaitMode::kYield, .now = kStart});
  EXPECT_EQ(yield.Next(kStart + 5'000 * kMs, 64, Wake::kIfLooks).kind, Kind::kYield);
}

TEST(WaitPlan, ASleepInAVendorsWaitIsShort) {
  WaitRoom room(16);
  WaitPlan plan(room, {.now = kStart});
  for (uint64_t now = kStart + 60 * kUs;;) {
    const WaitStep step = plan.Next(now, 0, Wake::kInSleep);
    if (step.kind == Kind::kBlock) {
      EXPECT_LE(now, kStart + 120 * kMs);
      break;
    }
    ASSERT_EQ(step.kind, Kind::kSleep);
    EXPECT_LE(step.until - now, std::max(kMs, (now - kStart) / 8));
    now = step.until;
  }
}

TEST(Pauses, FollowTheTimeThatHasPassed) {
  Pauses pauses({.first = 20, .longest = 1000, .share = 16});
  uint64_t passed = 0;
  for (int i = 0; i < 200; ++i) {
    const uint64_t pause = pauses.Next();
    EXPECT_LE(pause, 20 + passed / 8);
    passed += pause;
  }
  EXPECT_EQ(pauses.Next(), 1000u);
  pauses.Restart();
  EXPECT_EQ(pauses.Next(), 20u);
}

TEST(Lookouts, StopLookingAfterUselessWatches) {
  Lookouts lookouts(16);
  EXPECT_TRUE(lookouts.may_look());
  lookouts.Begin();
  EXPECT_TRUE(lookouts.may_look());
  lookouts.Begin();
  EXPECT_FALSE(lookouts.may_look()) << "two look already";
  lookouts.End(/*came=*/true, 10 * kUs);
  EXPECT_TRUE(lookouts.may_look());
  lookouts.End(/*came=*/false, Lookouts::kWatch);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(lookouts.may_look());
    lookouts.Begin();
    lookouts.End(/*came=*/i == 0, 10 * kMs);  // late is useless as well
  }
  EXPECT_FALSE(lookouts.may_look());
  lookouts.NoteSleep(kMs);
  EXPECT_FALSE(lookouts.may_look());
  lookouts.NoteSleep(10 * kUs);
  EXPECT_TRUE(lookouts.may_look()) << "a watch would have saved the sleep";
  EXPECT_FALSE([] {
    Lookouts two(2);
    two.Begin();
    return two.may_look();
  }()) << "the thread that brings the work needs the other processor";
}

}  // namespace
}  // namespace halyard
