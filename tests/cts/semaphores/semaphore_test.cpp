// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores from the host: values, signals, failures. Waits are in semaphore_wait_test.cpp, callbacks in
// timepoint_test.cpp.
#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "cts/cts.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

class SemaphoreTest : public DeviceTest {};

TEST_F(SemaphoreTest, NewSemaphoreIsUsableAtOnce) {
  const Semaphore semaphore = CreateSemaphore();
  EXPECT_OK(semaphore.Query());
  EXPECT_EQ(semaphore.Value(), 0u);
}

TEST_F(SemaphoreTest, LimitsAreSane) {
  EXPECT_GE(device().limits().max_semaphore_value, uint64_t{INT32_MAX});
  EXPECT_GE(device().limits().max_semaphore_distance, uint64_t{INT32_MAX});
}

TEST_F(SemaphoreTest, StartsAtMaximumValue) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  const Semaphore semaphore = CreateSemaphore(maximum);
  EXPECT_EQ(semaphore.Value(), maximum);
  EXPECT_OK(semaphore.Wait(maximum, 0));
}

TEST_F(SemaphoreTest, InitialValueAboveMaximumIsRefused) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  if (maximum == UINT64_MAX) return;  // there is no value above
  for (const uint64_t initial : {maximum + 1, UINT64_MAX}) {
    hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
    params.initial_value = initial;
    Semaphore semaphore;
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_semaphore_create(device(), &params, semaphore.out()));
  }
}

TEST_F(SemaphoreTest, SignalUpToMaximumAndNotBeyond) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  const Semaphore semaphore = CreateSemaphore(maximum - 1);
  if (maximum != UINT64_MAX) {
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, semaphore.Signal(maximum + 1));
    EXPECT_EQ(semaphore.Value(), maximum - 1);
  }
  EXPECT_OK(semaphore.Signal(maximum));
  EXPECT_EQ(semaphore.Value(), maximum);
  EXPECT_NE(semaphore.Signal(maximum), HAL_STATUS_OK);
  EXPECT_OK(semaphore.Query());
}

TEST_F(SemaphoreTest, SignalsAddUpToOneTimeline) {
  const Semaphore semaphore = CreateSemaphore(10);
  for (const uint64_t value : {11u, 12u, 100u, 101u}) {
    ASSERT_OK(semaphore.Signal(value));
    EXPECT_EQ(semaphore.Value(), value);
  }
}

TEST_F(SemaphoreTest, SemaphoresAreIndependent) {
  const Semaphore signalled = CreateSemaphore();
  const Semaphore failed = CreateSemaphore();
  const Semaphore untouched = CreateSemaphore();
  ASSERT_OK(signalled.Signal(3));
  ASSERT_OK(failed.Fail(HAL_STATUS_ABORTED));
  EXPECT_OK(untouched.Query());
  EXPECT_EQ(untouched.Value(), 0u);
  EXPECT_OK(signalled.Query());
}

TEST_F(SemaphoreTest, RetainKeepsItAlive) {
  Semaphore first = CreateSemaphore();
  const Semaphore second = first;
  first.reset();
  ASSERT_OK(second.Signal(1));
  EXPECT_EQ(second.Value(), 1u);
}

TEST_F(SemaphoreTest, OutlivesTheCallersDevice) {
  Semaphore semaphore;
  {
    const Device other = OpenSecondDevice();
    semaphore = other.CreateSemaphore(4);
  }
  EXPECT_OK(semaphore.Signal(5));
  EXPECT_OK(semaphore.Wait(5));
}

TEST_F(SemaphoreTest, ManySemaphoresLiveTogether) {
  std::vector<Semaphore> semaphores;
  for (uint64_t i = 0; i < 1000; ++i) semaphores.push_back(CreateSemaphore(i));
  for (uint64_t i = 0; i < 1000; ++i) ASSERT_OK(semaphores[i].Signal(i + 1));
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(semaphores[i].Value(), i + 1);
}

// Threads race to signal the same values. For each value there is one winner, and every thread gets the right status.
TEST_F(SemaphoreTest, RacingSignalsOfOneValueHaveOneWinner) {
  constexpr uint64_t kValues = 200;
  const Semaphore semaphore = CreateSemaphore();
  std::vector<std::atomic<int>> winners(kValues + 1);
  OnThreads(4, [&](size_t) {
    for (uint64_t value = 1; value <= kValues; ++value) {
      const hal_status_t status = semaphore.Signal(value);
      if (status == HAL_STATUS_OK) ++winners[value];
      if (status != HAL_STATUS_OK) {
        EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, status);
      }
    }
  });
  EXPECT_EQ(semaphore.Value(), kValues);
  for (uint64_t value = 1; value <= kValues; ++value) EXPECT_LE(winners[value], 1) << value;
  EXPECT_EQ(winners[kValues], 1);
}

// Producers that the caller orders: each thread waits for the value before its own.
TEST_F(SemaphoreTest, SeveralProducersTakeTurns) {
  constexpr size_t kThreads = 4;
  constexpr uint64_t kRounds = 50;
  const Semaphore semaphore = CreateSemaphore();
  OnThreads(kThreads, [&](size_t thread) {
    for (uint64_t round = 0; round < kRounds; ++round) {
      const uint64_t mine = round * kThreads + thread + 1;
      ASSERT_OK(semaphore.Wait(mine - 1));
      ASSERT_OK(semaphore.Signal(mine));
    }
  });
  EXPECT_EQ(semaphore.Value(), kThreads * kRounds);
}

/// Two threads wake each other `rounds` times.
void PingPong(const Semaphore& ping, const Semaphore& pong, uint64_t rounds) {
  JoiningThread other([&] {
    for (uint64_t i = 1; i <= rounds; ++i) {
      ASSERT_OK(ping.Wait(i));
      ASSERT_OK(pong.Signal(i));
    }
  });
  for (uint64_t i = 1; i <= rounds; ++i) {
    ASSERT_OK(ping.Signal(i));
    ASSERT_OK(pong.Wait(i));
  }
}

TEST_F(SemaphoreTest, PingPongBetweenThreads) { PingPong(CreateSemaphore(), CreateSemaphore(), 500); }
TEST_F(SemaphoreTest, PingPongBetweenThreadsSlow) { PingPong(CreateSemaphore(), CreateSemaphore(), 100'000); }

// A value that is seen covers what was written before it was signalled; thread sanitizer checks the same.
TEST_F(SemaphoreTest, SignalPublishesEarlierWrites) {
  const Semaphore semaphore = CreateSemaphore();
  uint64_t data = 0;
  JoiningThread writer([&] {
    for (uint64_t i = 1; i <= 100; ++i) {
      if (i > 1) {
        ASSERT_OK(semaphore.Wait(2 * i - 2));
      }
      data = i * i;
      ASSERT_OK(semaphore.Signal(2 * i - 1));
    }
  });
  for (uint64_t i = 1; i <= 100; ++i) {
    ASSERT_OK(semaphore.Wait(2 * i - 1));
    EXPECT_EQ(data, i * i);
    if (i < 100) {
      ASSERT_OK(semaphore.Signal(2 * i));
    }
  }
}

class SemaphoreValueTest : public DeviceTestWith<uint64_t> {};

TEST_P(SemaphoreValueTest, StartsAtInitialValue) {
  const Semaphore semaphore = CreateSemaphore(GetParam());
  EXPECT_OK(semaphore.Query());
  EXPECT_EQ(semaphore.Value(), GetParam());
  EXPECT_OK(semaphore.Wait(GetParam(), 0));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(GetParam() + 1, 0));
}

TEST_P(SemaphoreValueTest, SignalJumpsToValue) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Signal(GetParam() + 1));
  EXPECT_EQ(semaphore.Value(), GetParam() + 1);
}

TEST_P(SemaphoreValueTest, SignalThatDoesNotAdvanceIsRefused) {
  const uint64_t current = GetParam();
  const Semaphore semaphore = CreateSemaphore(current);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, semaphore.Signal(current));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, semaphore.Signal(0));
  if (current > 0) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, semaphore.Signal(current - 1));
  }
  // The refusal leaves the semaphore as it was.
  EXPECT_OK(semaphore.Query());
  EXPECT_EQ(semaphore.Value(), current);
  EXPECT_OK(semaphore.Signal(current + 1));
}

TEST_P(SemaphoreValueTest, FailureKeepsTheValue) {
  const Semaphore semaphore = CreateSemaphore(GetParam());
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Query());
  EXPECT_EQ(semaphore.Value(), GetParam());
  EXPECT_OK(semaphore.Wait(GetParam(), 0));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(GetParam() + 1));
}

INSTANTIATE_TEST_SUITE_P(Values, SemaphoreValueTest, testing::Values(0, 1, 2, 1000, INT32_MAX - 1, INT32_MAX / 2),
                         ByNumber);

class SemaphoreFailureTest : public DeviceTest {};

TEST_F(SemaphoreFailureTest, OkIsNoFailure) {
  const Semaphore semaphore = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, semaphore.Fail(HAL_STATUS_OK));
  EXPECT_OK(semaphore.Query());
  EXPECT_OK(semaphore.Signal(1));
}

TEST_F(SemaphoreFailureTest, FirstFailureStays) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS, "the first reason"));
  EXPECT_OK(semaphore.Fail(HAL_STATUS_ABORTED, "the second reason"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, semaphore.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the first reason"));
}

TEST_F(SemaphoreFailureTest, SignalOfFailedSemaphoreReturnsItsFailure) {
  const Semaphore semaphore = CreateSemaphore(2);
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED, "gone"));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Signal(3));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("gone"));
  EXPECT_EQ(semaphore.Value(), 2u);
}

TEST_F(SemaphoreFailureTest, MessageMayBeEmpty) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(hal_semaphore_fail(semaphore, HAL_STATUS_ABORTED, hal_string_view(nullptr)));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(1));
}

TEST_F(SemaphoreFailureTest, MessageIsCaptured) {
  const Semaphore semaphore = CreateSemaphore();
  std::string message = "captured at the call";
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED, message));
  message.assign(message.size(), 'x');
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("captured at the call"));
}

TEST_F(SemaphoreFailureTest, MessageIsTakenByItsLength) {
  const Semaphore semaphore = CreateSemaphore();
  const std::string text = "only this|but not that";
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED, std::string_view(text).substr(0, 9)));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("only this"));
  EXPECT_THAT(hal_last_error_message(), testing::Not(HasSubstr("but not that")));
}

TEST_F(SemaphoreFailureTest, MessageIsSetOnTheThreadThatAsks) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED, "for every thread"));
  auto other = std::async(std::launch::async, [&] {
    EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(1));
    return std::string(hal_last_error_message());
  });
  EXPECT_THAT(other.get(), HasSubstr("for every thread"));
}

TEST_F(SemaphoreFailureTest, RacingFailuresAgreeOnOne) {
  const Semaphore semaphore = CreateSemaphore();
  const hal_status_t statuses[] = {HAL_STATUS_ABORTED, HAL_STATUS_DATA_LOSS, HAL_STATUS_INTERNAL,
                                   HAL_STATUS_UNAVAILABLE};
  hal_status_t seen[4] = {};
  OnThreads(4, [&](size_t thread) {
    EXPECT_OK(semaphore.Fail(statuses[thread], "racing"));
    seen[thread] = semaphore.Query();
  });
  for (const hal_status_t status : seen) EXPECT_EQ(status, seen[0]);
  EXPECT_NE(seen[0], HAL_STATUS_OK);
}

/// Every status that a failure can have.
class SemaphoreFailureStatusTest : public DeviceTestWith<hal_status_t> {};

TEST_P(SemaphoreFailureStatusTest, ReachesEveryCaller) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Fail(GetParam(), "the reason"));
  EXPECT_STATUS(GetParam(), semaphore.Query());
  EXPECT_STATUS(Awaited(GetParam()), semaphore.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("the reason"));
  EXPECT_STATUS(GetParam(), semaphore.Signal(1));
}

TEST_P(SemaphoreFailureStatusTest, ReachesAWaitingThread) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] {
    EXPECT_STATUS(Awaited(GetParam()), semaphore.Wait(1));
    return std::string(hal_last_error_message());
  });
  ASSERT_OK(semaphore.Fail(GetParam(), "the reason"));
  EXPECT_THAT(waiter.get(), HasSubstr("the reason"));
}

INSTANTIATE_TEST_SUITE_P(Statuses, SemaphoreFailureStatusTest, testing::ValuesIn(kFailures), ByStatus);

}  // namespace
}  // namespace halyard::cts
