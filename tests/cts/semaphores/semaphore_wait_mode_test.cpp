// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to wait: the flags of a wait, and the parameter `wait` of a device. Whatever the way, a wait ends as it should.
#include <array>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "cts/cts.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

struct WaitMode {
  const char* name;
  hal_wait_flags_t flags;
  const char* parameter;  // NULL for the device's own
};
void PrintTo(const WaitMode& mode, std::ostream* out) { *out << mode.name; }

constexpr std::array kWaitModes = {
    WaitMode{"Default", 0, nullptr},
    WaitMode{"Auto", HAL_WAIT_AUTO, "auto"},
    WaitMode{"Spin", HAL_WAIT_SPIN, "spin"},
    WaitMode{"Yield", HAL_WAIT_YIELD, "yield"},
    WaitMode{"Block", HAL_WAIT_BLOCK, "block"},
};

hal_status_t WaitFor(const Points& points, hal_wait_flags_t flags, uint64_t timeout_ns = kForever,
                     size_t* out_index = nullptr) {
  return hal_semaphore_list_wait(points, flags, timeout_ns, out_index);
}

class SemaphoreWaitModeTest : public DeviceTestWith<WaitMode> {};

TEST_P(SemaphoreWaitModeTest, IsEndedByWorkOfTheDevice) {
  const Semaphore semaphore = CreateSemaphore();
  for (uint64_t value = 1; value <= 40; ++value) {
    ASSERT_OK(Barrier(kNoWaits, {{semaphore, value}}));
    ASSERT_OK(WaitFor({{semaphore, value}}, GetParam().flags));
    ASSERT_EQ(semaphore.Value(), value);
  }
}

TEST_P(SemaphoreWaitModeTest, IsEndedByWorkThatIsSubmittedLater) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return WaitFor({{semaphore, 1}}, GetParam().flags); });
  ASSERT_OK(Barrier({{gate, 1}}, {{semaphore, 1}}));
  ASSERT_OK(gate.Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreWaitModeTest, IsEndedByASignal) {
  const Semaphore semaphore = CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return WaitFor({{semaphore, 1}}, GetParam().flags); });
  ASSERT_OK(semaphore.Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_P(SemaphoreWaitModeTest, IsEndedByAFailure) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore semaphore = CreateSemaphore();
  ASSERT_OK(Barrier({{gate, 1}}, {{semaphore, 1}}));
  auto waiter = std::async(std::launch::async, [&] {
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, WaitFor({{semaphore, 1}}, GetParam().flags));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("lost for all"));
  });
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS, "lost for all"));
  waiter.get();
  ASSERT_OK(gate.Signal(1));
}

TEST_P(SemaphoreWaitModeTest, RunsOutAndNotTooEarly) {
  const Semaphore semaphore = CreateSemaphore();
  for (const uint64_t timeout : {uint64_t{0}, uint64_t{1}, uint64_t{3'000}, uint64_t{3'000'000}}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitFor({{semaphore, 1}}, GetParam().flags, timeout));
    const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(static_cast<uint64_t>(elapsed.count()), timeout);
  }
}

TEST_P(SemaphoreWaitModeTest, ListsAreEndedByTheirPoints) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Points points = {{first, 1}, {second, 1}};
  size_t index = 0;
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, WaitFor(points, GetParam().flags | HAL_WAIT_ANY, 1'000'000, &index));
  EXPECT_EQ(index, SIZE_MAX);
  auto any = std::async(std::launch::async, [&] {
    size_t reached = SIZE_MAX;
    EXPECT_OK(WaitFor(points, GetParam().flags | HAL_WAIT_ANY, kForever, &reached));
    return reached;
  });
  auto all = std::async(std::launch::async, [&] { return WaitFor(points, GetParam().flags); });
  ASSERT_OK(Barrier(kNoWaits, {{second, 1}}));
  EXPECT_EQ(any.get(), 1u);
  ASSERT_OK(first.Signal(1));
  EXPECT_OK(all.get());
}

TEST_P(SemaphoreWaitModeTest, OfADeviceIsTakenAsAParameter) {
  if (!GetParam().parameter) GTEST_SKIP() << "the device has it";
  const hal_key_value_t pair = {View("wait"), View(GetParam().parameter)};
  Device own;
  ASSERT_OK(hal_registry_create_device(SuiteRegistry(), View(options().device), 1, &pair, own.out()));
  const Semaphore semaphore = own.CreateSemaphore();
  for (uint64_t value = 1; value <= 20; ++value) {
    ASSERT_OK(own.QueueBarrier(kNoWaits, {{semaphore, value}}));
    ASSERT_OK(semaphore.Wait(value));
  }
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, semaphore.Wait(21, 100'000));
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(21); });
  ASSERT_OK(semaphore.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, waiter.get());
}

INSTANTIATE_TEST_SUITE_P(Modes, SemaphoreWaitModeTest, testing::ValuesIn(kWaitModes), ByName);

class SemaphoreWaitModesTest : public DeviceTest {};

TEST_F(SemaphoreWaitModesTest, SeveralAtOnceAreRefused) {
  const Semaphore semaphore = CreateSemaphore(1);
  for (const hal_wait_flags_t flags : {HAL_WAIT_AUTO | HAL_WAIT_SPIN, HAL_WAIT_YIELD | HAL_WAIT_BLOCK,
                                       HAL_WAIT_ANY | HAL_WAIT_SPIN | HAL_WAIT_BLOCK}) {
    EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, WaitFor({{semaphore, 1}}, flags, 0));
    EXPECT_THAT(hal_last_error_message(), HasSubstr("one of HAL_WAIT_AUTO, SPIN, YIELD and BLOCK"));
  }
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, WaitFor({{semaphore, 1}}, 0x20, 0));
}

TEST_F(SemaphoreWaitModesTest, ADeviceSaysWhichThereAre) {
  const hal_key_value_t pair = {View("wait"), View("spinning")};
  Device none;
  ASSERT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_registry_create_device(SuiteRegistry(), View(options().device), 1, &pair, none.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("'wait' cannot be 'spinning'; known: auto, spin, yield, block"));
}

// More threads than there are processors, which wait in all ways for values of one timeline and of their own.
TEST_F(SemaphoreWaitModesTest, ManyThreadsWaitInAllWays) {
  constexpr size_t kThreads = 20;
  constexpr uint64_t kRounds = 10;
  const Semaphore shared = CreateSemaphore();
  OnThreads(kThreads, [&](size_t thread) {
    const hal_wait_flags_t flags = kWaitModes.at(thread % kWaitModes.size()).flags;
    // A thread that spins needs a processor that others may need more.
    const bool spins = flags == HAL_WAIT_SPIN && thread >= kWaitModes.size();
    const Semaphore own = CreateSemaphore();
    for (uint64_t value = 1; value <= kRounds; ++value) {
      EXPECT_OK(Barrier(kNoWaits, {{own, value}}));
      EXPECT_OK(WaitFor({{own, value}}, spins ? HAL_WAIT_YIELD : flags));
    }
    if (thread == 0) {
      EXPECT_OK(Barrier(kNoWaits, {{shared, 1}}));
    }
    EXPECT_OK(WaitFor({{shared, 1}}, spins ? HAL_WAIT_YIELD : flags));
  });
}

}  // namespace
}  // namespace halyard::cts
