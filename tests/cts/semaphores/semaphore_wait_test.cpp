// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host waits: on one semaphore and on several, with every kind of deadline.
#include <chrono>
#include <future>
#include <thread>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

class SemaphoreWaitTest : public DeviceTest {};

TEST_F(SemaphoreWaitTest, HostWaitBeforeDeviceSignalWakes) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(1); });
  ASSERT_OK(Barrier(kNoWaits, {{semaphore, 1}}));
  EXPECT_OK(waiter.get());
}

TEST_F(SemaphoreWaitTest, HostWaitAfterDeviceSignalReturns) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(Barrier(kNoWaits, {{semaphore, 1}}));
  EXPECT_OK(semaphore.Wait(1));
  EXPECT_EQ(semaphore.Value(), 1u);
}

TEST_F(SemaphoreWaitTest, ZeroIsReachedFromTheStart) { EXPECT_OK(CreateSemaphore().Wait(0, 0)); }

TEST_F(SemaphoreWaitTest, ValueAboveTheMaximumIsRefused) {
  const uint64_t maximum = device().limits().max_semaphore_value;
  if (maximum == UINT64_MAX) GTEST_SKIP() << "every value can be reached";
  const Semaphore semaphore = CreateSemaphore();
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, semaphore.Wait(maximum + 1));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, semaphore.Notify(maximum + 1, [](hal_status_t, const std::string&) {}));
  const Points points = {{semaphore, 0}, {semaphore, maximum + 1}};
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_semaphore_list_wait(points, HAL_WAIT_ANY, kForever, nullptr));
  const Fence fence({{semaphore, 1}});
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, fence.Insert(semaphore, maximum + 1));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, fence.Extend(points));
  EXPECT_EQ(fence.List().at(0).value, 1u);
}

TEST_F(SemaphoreWaitTest, LargerSignalReachesSmallerValues) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(3); });
  ASSERT_OK(semaphore.Signal(10));
  EXPECT_OK(waiter.get());
}

TEST_F(SemaphoreWaitTest, SmallerSignalDoesNotWake) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] {
    const hal_status_t status = semaphore.Wait(5);
    return std::pair(status, semaphore.Value());
  });
  for (uint64_t value = 1; value <= 5; ++value) ASSERT_OK(semaphore.Signal(value));
  const auto [status, value] = waiter.get();
  EXPECT_OK(status);
  EXPECT_EQ(value, 5u);
}

// Each waiter has its own value; a waiter that wakes must find its value reached.
TEST_F(SemaphoreWaitTest, WaitersOnManyValuesWakeInTheirTurn) {
  constexpr uint64_t kWaiters = 16;
  const Semaphore semaphore = CreateSemaphore();
  std::vector<std::future<void>> waiters;
  for (uint64_t value = kWaiters; value >= 1; --value) {
    waiters.push_back(std::async(std::launch::async, [&semaphore, value] {
      EXPECT_OK(semaphore.Wait(value));
      EXPECT_GE(semaphore.Value(), value);
    }));
  }
  for (uint64_t value = 1; value <= kWaiters; ++value) {
    ASSERT_OK(semaphore.Signal(value));
    waiters[kWaiters - value].get();  // the one for `value` is awake, though larger values are not reached
  }
}

TEST_F(SemaphoreWaitTest, ReachedValuesStayReachedAfterFailure) {
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(semaphore.Signal(3));
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
  EXPECT_OK(semaphore.Wait(1));
  EXPECT_OK(semaphore.Wait(3));
  EXPECT_STATUS(HAL_STATUS_ABORTED, semaphore.Wait(4, 0));
}

TEST_F(SemaphoreWaitTest, ExpiredWaitLeavesNothingBehind) {
  const Semaphore semaphore = CreateSemaphore();
  for (int i = 0; i < 200; ++i) {
    ASSERT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(1, 1000));
  }
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(semaphore.Wait(1));
}

// Signals race with deadlines that are about to run out: whatever is answered must be true.
TEST_F(SemaphoreWaitTest, AnswerIsTrueWhenSignalRacesWithDeadline) {
  const Semaphore semaphore = CreateSemaphore();
  for (uint64_t round = 1; round <= 200; ++round) {
    JoiningThread signaller([&] { EXPECT_OK(semaphore.Signal(round)); });
    const hal_status_t status = semaphore.Wait(round, round * 500);
    if (status == HAL_STATUS_OK) {
      EXPECT_GE(semaphore.Value(), round);
    }
    if (status != HAL_STATUS_OK) {
      EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, status);
    }
  }
}

struct Timeout {
  const char* name;
  uint64_t nanoseconds;
};
void PrintTo(const Timeout& timeout, std::ostream* out) { *out << timeout.name; }

class SemaphoreFiniteWaitTest : public DeviceTestWith<Timeout> {};

TEST_P(SemaphoreFiniteWaitTest, RunsOutAndNotTooEarly) {
  const Semaphore semaphore = CreateSemaphore(7);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(8, GetParam().nanoseconds));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(static_cast<uint64_t>(elapsed.count()), GetParam().nanoseconds);
  EXPECT_OK(semaphore.Query());
  EXPECT_EQ(semaphore.Value(), 7u);
}

TEST_P(SemaphoreFiniteWaitTest, ListRunsOutAndNotTooEarly) {
  const Semaphore reached = CreateSemaphore(1);
  const Semaphore unreached = CreateSemaphore();
  const Points points = {{reached, 1}, {unreached, 1}};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED,
                hal_semaphore_list_wait(points, HAL_WAIT_ALL, GetParam().nanoseconds, nullptr));
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(static_cast<uint64_t>(elapsed.count()), GetParam().nanoseconds);
}

INSTANTIATE_TEST_SUITE_P(Timeouts, SemaphoreFiniteWaitTest,
                         testing::Values(Timeout{"Zero", 0}, Timeout{"OneNanosecond", 1},
                                         Timeout{"OneMicrosecond", 1000}, Timeout{"OneMillisecond", 1'000'000},
                                         Timeout{"TwentyMilliseconds", 20'000'000}),
                         ByName);

class SemaphoreLongWaitTest : public DeviceTestWith<Timeout> {};

TEST_P(SemaphoreLongWaitTest, ReachedValueReturnsAtOnce) {
  EXPECT_OK(CreateSemaphore(5).Wait(5, GetParam().nanoseconds));
}

TEST_P(SemaphoreLongWaitTest, IsEndedByASignal) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(1, GetParam().nanoseconds); });
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreLongWaitTest, IsEndedByAFailure) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(1, GetParam().nanoseconds); });
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_EQ(waiter.get(), HAL_STATUS_DATA_LOSS);
}

TEST_P(SemaphoreLongWaitTest, OnAListIsEndedByASignal) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore(1);
  const Points points = {{first, 1}, {second, 1}};
  auto waiter = std::async(std::launch::async, [&] {
    return hal_semaphore_list_wait(points, HAL_WAIT_ALL, GetParam().nanoseconds, nullptr);
  });
  ASSERT_OK(first.Signal(1));
  EXPECT_OK(waiter.get());
}

// Deadlines this far away must not wrap round to the past.
INSTANTIATE_TEST_SUITE_P(Timeouts, SemaphoreLongWaitTest,
                         testing::Values(Timeout{"HalfAMinute", 30'000'000'000}, Timeout{"MostThatIsSigned", INT64_MAX},
                                         Timeout{"OneMoreThanIsSigned", uint64_t{INT64_MAX} + 1},
                                         Timeout{"JustFinite", UINT64_MAX - 1},
                                         Timeout{"Infinite", HAL_TIMEOUT_INFINITE}),
                         ByName);

class SemaphoreManyWaitersTest : public DeviceTestWith<size_t> {};

TEST_P(SemaphoreManyWaitersTest, OneSignalWakesAll) {
  const Semaphore semaphore = CreateSemaphore();
  std::vector<std::future<hal_status_t>> waiters;
  for (size_t i = 0; i < GetParam(); ++i) {
    waiters.push_back(std::async(std::launch::async, [&] { return semaphore.Wait(1); }));
  }
  ASSERT_OK(semaphore.Signal(1));
  for (auto& waiter : waiters) EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreManyWaitersTest, OneFailureWakesAllWithItsMessage) {
  const Semaphore semaphore = CreateSemaphore();
  std::vector<std::future<void>> waiters;
  for (size_t i = 0; i < GetParam(); ++i) {
    waiters.push_back(std::async(std::launch::async, [&semaphore, i] {
      EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, semaphore.Wait(i + 1));
      EXPECT_THAT(hal_last_error_message(), HasSubstr("for all of you"));
    }));
  }
  ASSERT_OK(semaphore.Fail(HAL_STATUS_UNAVAILABLE, "for all of you"));
  for (auto& waiter : waiters) waiter.get();
}

INSTANTIATE_TEST_SUITE_P(Waiters, SemaphoreManyWaitersTest, testing::Values(1, 2, 4, 16, 32), ByNumber);

/// Waits on several semaphores at once.
class SemaphoreListWaitTest : public DeviceTest {};

TEST_F(SemaphoreListWaitTest, EmptyListIsSatisfied) {
  EXPECT_OK(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ALL, 0, nullptr));
  EXPECT_OK(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ANY, 0, nullptr));
  EXPECT_OK(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE, nullptr));
  EXPECT_OK(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE, nullptr));
  size_t index = 0;
  EXPECT_OK(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ANY, 0, &index));
  EXPECT_EQ(index, SIZE_MAX);
}

TEST_F(SemaphoreListWaitTest, OneSemaphoreMayAppearTwice) {
  const Semaphore semaphore = CreateSemaphore(2);
  const Points points = {{semaphore, 2}, {semaphore, 4}};
  EXPECT_OK(hal_semaphore_list_wait(points, HAL_WAIT_ANY, 0, nullptr));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_semaphore_list_wait(points, HAL_WAIT_ALL, 0, nullptr));
  ASSERT_OK(semaphore.Signal(4));
  EXPECT_OK(hal_semaphore_list_wait(points, HAL_WAIT_ALL, 0, nullptr));
}

TEST_F(SemaphoreListWaitTest, PointsReachedBeforeTheFailureCount) {
  const Semaphore failed = CreateSemaphore(3);
  const Semaphore good = CreateSemaphore(1);
  ASSERT_OK(failed.Fail(HAL_STATUS_ABORTED));
  EXPECT_OK(hal_semaphore_list_wait(Points({{failed, 3}, {good, 1}}), HAL_WAIT_ALL, kForever, nullptr));
  EXPECT_STATUS(HAL_STATUS_ABORTED,
                hal_semaphore_list_wait(Points({{failed, 4}, {good, 1}}), HAL_WAIT_ALL, kForever, nullptr));
}

TEST_F(SemaphoreListWaitTest, SpansDevices) {
  const Device other = OpenSecondDevice();
  const Semaphore here = CreateSemaphore();
  const Semaphore there = other.CreateSemaphore();
  const Points points = {{here, 1}, {there, 1}};
  auto waiter =
      std::async(std::launch::async, [&] { return hal_semaphore_list_wait(points, HAL_WAIT_ALL, kForever, nullptr); });
  ASSERT_OK(other.QueueBarrier(kNoWaits, {{there, 1}}));
  ASSERT_OK(Barrier(kNoWaits, {{here, 1}}));
  EXPECT_OK(waiter.get());
}

TEST_F(SemaphoreListWaitTest, ExpiredAnyWaitsLeaveNothingBehind) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Points points = {{first, 1}, {second, 1}};
  for (int i = 0; i < 200; ++i) {
    ASSERT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_semaphore_list_wait(points, HAL_WAIT_ANY, 1000, nullptr));
  }
  ASSERT_OK(second.Signal(1));
  EXPECT_OK(hal_semaphore_list_wait(points, HAL_WAIT_ANY, kForever, nullptr));
  ASSERT_OK(first.Signal(1));
}

/// How long a wait may take that finds a semaphore failed, or fails while it waits.
class SemaphoreTimeoutFailureTest : public DeviceTestWith<uint64_t> {};

// A loop that waits again after a time-out must end.
TEST_P(SemaphoreTimeoutFailureTest, IsToldApartFromATimeout) {
  const uint64_t timeout = GetParam();
  const Semaphore failed = CreateSemaphore(1);
  const Semaphore pending = CreateSemaphore();
  const Points both = {{pending, 1}, {failed, 2}};
  const Fence fence(both);
  ASSERT_OK(failed.Fail(HAL_STATUS_DEADLINE_EXCEEDED, "the request took too long"));
  EXPECT_OK(failed.Wait(1, timeout)) << "it was reached before";
  const auto expect_failure = [](hal_status_t status) {
    EXPECT_STATUS(HAL_STATUS_ABORTED, status);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("the request took too long"));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("failed with DEADLINE_EXCEEDED"));
  };
  expect_failure(failed.Wait(2, timeout));
  expect_failure(hal_semaphore_list_wait(both, HAL_WAIT_ALL, timeout, nullptr));
  expect_failure(hal_semaphore_list_wait(both, HAL_WAIT_ANY, timeout, nullptr));
  expect_failure(fence.Wait(timeout));
  expect_failure(fence.Query());
  size_t index = 7;
  expect_failure(hal_semaphore_list_wait(both, HAL_WAIT_ANY, timeout, &index));
  EXPECT_EQ(index, 1u);
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, failed.Query()) << "a query has no time-out";
  hal_status_t told = HAL_STATUS_OK;
  ASSERT_OK(failed.Notify(2, [&](hal_status_t status, const std::string&) { told = status; }));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, told);
  ASSERT_OK(pending.Signal(1));
}

TEST_P(SemaphoreTimeoutFailureTest, IsToldApartWhileAThreadWaits) {
  const Semaphore failed = CreateSemaphore();
  const Semaphore pending = CreateSemaphore();
  const Points both = {{failed, 1}, {pending, 1}};
  const auto wait = [&](hal_wait_flags_t mode) {
    hal_status_t status = HAL_STATUS_DEADLINE_EXCEEDED;
    while (status == HAL_STATUS_DEADLINE_EXCEEDED) status = hal_semaphore_list_wait(both, mode, GetParam(), nullptr);
    return status;
  };
  auto one = std::async(std::launch::async, [&] {
    hal_status_t status = HAL_STATUS_DEADLINE_EXCEEDED;
    while (status == HAL_STATUS_DEADLINE_EXCEEDED) status = failed.Wait(1, GetParam());
    return status;
  });
  auto all = std::async(std::launch::async, wait, HAL_WAIT_ALL);
  auto any = std::async(std::launch::async, wait, HAL_WAIT_ANY);
  ASSERT_OK(failed.Fail(HAL_STATUS_DEADLINE_EXCEEDED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, one.get());
  EXPECT_STATUS(HAL_STATUS_ABORTED, all.get());
  EXPECT_STATUS(HAL_STATUS_ABORTED, any.get());
}

INSTANTIATE_TEST_SUITE_P(Timeouts, SemaphoreTimeoutFailureTest,
                         testing::Values(0, 100'000, 10'000'000'000, HAL_TIMEOUT_INFINITE), ByNumber);

class SemaphoreListLengthTest : public DeviceTestWith<size_t> {
 protected:
  SemaphoreListLengthTest() {
    for (size_t i = 0; i < GetParam(); ++i) {
      semaphores_.push_back(CreateSemaphore());
      points_.Add(semaphores_.back(), 1);
    }
  }
  size_t count() const { return semaphores_.size(); }
  hal_status_t WaitAll(uint64_t timeout_ns) const {
    return hal_semaphore_list_wait(points_, HAL_WAIT_ALL, timeout_ns, nullptr);
  }
  hal_status_t WaitAny(uint64_t timeout_ns) const {
    return hal_semaphore_list_wait(points_, HAL_WAIT_ANY, timeout_ns, nullptr);
  }

  std::vector<Semaphore> semaphores_;
  Points points_;
};

TEST_P(SemaphoreListLengthTest, NoneReached) {
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitAll(0));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitAny(0));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitAll(100'000));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitAny(100'000));
}

TEST_P(SemaphoreListLengthTest, AnySaysWhichPoint) {
  for (const size_t chosen : {size_t{0}, count() / 2, count() - 1}) {
    const Semaphore semaphore = CreateSemaphore();
    std::vector<hal_timeline_point_t> points(points_.list().points, points_.list().points + count());
    points[chosen] = {semaphore, 1};
    const hal_semaphore_list_t list = {points.data(), points.size()};
    size_t index = 0;
    EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_semaphore_list_wait(list, HAL_WAIT_ANY, 0, &index));
    EXPECT_EQ(index, SIZE_MAX);
    EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, hal_semaphore_list_wait(list, HAL_WAIT_ANY, 1000, &index));
    EXPECT_EQ(index, SIZE_MAX);
    auto waiter = std::async(std::launch::async, [&] {
      size_t found = 0;
      EXPECT_OK(hal_semaphore_list_wait(list, HAL_WAIT_ANY, kForever, &found));
      return found;
    });
    ASSERT_OK(Barrier(kNoWaits, {{semaphore, 1}}));
    EXPECT_EQ(waiter.get(), chosen);
    EXPECT_OK(hal_semaphore_list_wait(list, HAL_WAIT_ANY, 0, &index)) << "now it is found at once";
    EXPECT_EQ(index, chosen);
  }
}

TEST_P(SemaphoreListLengthTest, AllReached) {
  for (const Semaphore& semaphore : semaphores_) ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(WaitAll(0));
  EXPECT_OK(WaitAny(0));
}

TEST_P(SemaphoreListLengthTest, AllNeedsTheLastOne) {
  for (size_t i = 0; i + 1 < count(); ++i) ASSERT_OK(semaphores_[i].Signal(1));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitAll(0));
  auto waiter = std::async(std::launch::async, [&] { return WaitAll(kForever); });
  ASSERT_OK(semaphores_.back().Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreListLengthTest, AllWakesWhateverTheOrder) {
  auto waiter = std::async(std::launch::async, [&] { return WaitAll(kForever); });
  for (size_t i = count(); i-- > 0;) ASSERT_OK(semaphores_[i].Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreListLengthTest, AnyIsContentWithEach) {
  for (size_t i = 0; i < count(); ++i) {
    const Semaphore replaced = CreateSemaphore(1);
    Points points;
    for (size_t j = 0; j < count(); ++j) points.Add(j == i ? replaced : semaphores_[j], 1);
    EXPECT_OK(hal_semaphore_list_wait(points, HAL_WAIT_ANY, 0, nullptr)) << "point " << i;
  }
}

TEST_P(SemaphoreListLengthTest, AnyIsWokenByTheMiddleOne) {
  auto waiter = std::async(std::launch::async, [&] { return WaitAny(kForever); });
  ASSERT_OK(semaphores_[count() / 2].Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreListLengthTest, AllFailsAsSoonAsOneFails) {
  auto waiter = std::async(std::launch::async, [&] {
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, WaitAll(kForever));  // the others are never signalled
    EXPECT_THAT(hal_last_error_message(), HasSubstr("this one failed"));
  });
  ASSERT_OK(semaphores_[count() / 2].Fail(HAL_STATUS_DATA_LOSS, "this one failed"));
  waiter.get();
}

TEST_P(SemaphoreListLengthTest, AnyFailsIfTheFirstThatEndsFails) {
  auto waiter = std::async(std::launch::async, [&] {
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, WaitAny(kForever));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("this one failed"));
  });
  ASSERT_OK(semaphores_.back().Fail(HAL_STATUS_DATA_LOSS, "this one failed"));
  waiter.get();
}

TEST_P(SemaphoreListLengthTest, IsReachedByOneQueueOperation) {
  ASSERT_OK(Barrier(kNoWaits, points_));
  EXPECT_OK(WaitAll(kForever));
}

INSTANTIATE_TEST_SUITE_P(Points, SemaphoreListLengthTest, testing::Values(1, 2, 3, 4, 8, 63, 64, 65), ByNumber);

}  // namespace
}  // namespace halyard::cts
