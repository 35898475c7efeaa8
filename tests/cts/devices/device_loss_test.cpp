// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that is lost: everything on it fails, nothing hangs, and other devices carry on. Needs a driver that loses
// devices on purpose (halyard/fault_injection.h).
#include <future>
#include <string>

#include "cts/cts.h"
#include "cts/queue_operations.h"
#include "halyard/fault_injection.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;

constexpr char kReason[] = "pulled out by the test";

const hal_fault_injection_interface_t* FaultInjection(hal_device_t* device) {
  const void* table = nullptr;
  hal_device_query_interface(device, View(HAL_FAULT_INJECTION_INTERFACE), 1, &table);
  return static_cast<const hal_fault_injection_interface_t*>(table);
}

/// A device of its own beside the one that all tests share, which stays well.
class DeviceLossTest : public DeviceTest {
 protected:
  void SetUp() override {
    if (!FaultInjection(doomed_)) GTEST_SKIP() << "the driver does not lose devices on purpose";
  }
  hal_status_t Lose(const std::string& reason = kReason) const {
    return FaultInjection(doomed_)->lose_device(doomed_, View(reason));
  }

  Device doomed_ = OpenDevice(options().device);
};

TEST_F(DeviceLossTest, HealthTells) {
  EXPECT_OK(hal_device_query_health(doomed_));
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, hal_device_query_health(doomed_));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(kReason));
}

TEST_F(DeviceLossTest, FirstReasonStays) {
  ASSERT_OK(Lose());
  EXPECT_OK(Lose("lost once more"));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, hal_device_query_health(doomed_));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(kReason));
}

TEST_F(DeviceLossTest, SemaphoresFail) {
  const Semaphore semaphore = doomed_.CreateSemaphore(3);
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, semaphore.Query());
  EXPECT_THAT(hal_last_error_message(), HasSubstr(kReason));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, semaphore.Wait(4));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, semaphore.Signal(4));
}

TEST_F(DeviceLossTest, ReachedValuesStayReached) {
  const Semaphore semaphore = doomed_.CreateSemaphore();
  ASSERT_OK(doomed_.QueueBarrier(kNoWaits, {{semaphore, 3}}));
  ASSERT_OK(semaphore.Wait(3));
  ASSERT_OK(Lose());
  EXPECT_OK(semaphore.Wait(3));
  EXPECT_EQ(semaphore.Value(), 3u);
}

TEST_F(DeviceLossTest, FailureThatCameFirstStays) {
  const Semaphore semaphore = doomed_.CreateSemaphore();
  ASSERT_OK(semaphore.Fail(HAL_STATUS_DATA_LOSS));
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, semaphore.Wait(1));
}

TEST_F(DeviceLossTest, WaitingThreadsWake) {
  const Semaphore semaphore = doomed_.CreateSemaphore();
  auto waiter = std::async(std::launch::async, [&] { return semaphore.Wait(1); });
  auto list_waiter = std::async(std::launch::async, [&] {
    return hal_semaphore_list_wait(Points({{semaphore, 1}}), HAL_WAIT_ANY, kForever, nullptr);
  });
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, waiter.get());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, list_waiter.get());
}

TEST_F(DeviceLossTest, TimepointsAreCalled) {
  const Semaphore semaphore = doomed_.CreateSemaphore();
  hal_status_t seen = HAL_STATUS_OK;
  std::string words;
  ASSERT_OK(semaphore.Notify(1, [&](hal_status_t status, const std::string& message) {
    seen = status;
    words = message;
  }));
  ASSERT_OK(Lose());
  ExpectAllCallbacksCalled();
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, seen);
  EXPECT_THAT(words, HasSubstr(kReason));
}

TEST_F(DeviceLossTest, OtherDevicesCarryOn) {
  const Semaphore elsewhere = CreateSemaphore();
  ASSERT_OK(Lose());
  EXPECT_OK(hal_device_query_health(device()));
  ASSERT_OK(Barrier(kNoWaits, {{elsewhere, 1}}));
  EXPECT_OK(elsewhere.Wait(1));
}

TEST_F(DeviceLossTest, WhatDependsOnItElsewhereFails) {
  const Semaphore lost = doomed_.CreateSemaphore();
  const Semaphore elsewhere = CreateSemaphore();
  ASSERT_OK(Barrier({{lost, 1}}, {{elsewhere, 1}}));
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, elsewhere.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(kReason));
}

TEST_F(DeviceLossTest, ALongChainFailsToItsEnd) {
  constexpr uint64_t kLength = 1000;
  const Semaphore semaphore = doomed_.CreateSemaphore();
  const Semaphore elsewhere = CreateSemaphore();
  for (uint64_t i = 1; i < kLength; ++i) {
    ASSERT_OK(doomed_.QueueBarrier({{semaphore, i}}, {{semaphore, i + 1}}));
  }
  ASSERT_OK(doomed_.QueueBarrier({{semaphore, kLength}}, {{elsewhere, 1}}));
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, elsewhere.Wait(1));
}

TEST_F(DeviceLossTest, ObjectsCanStillBeReleased) {
  const Semaphore gate = CreateSemaphore();
  Buffer allocated;
  ASSERT_OK(doomed_.QueueAlloca({{gate, 1}}, kNoSignals, 256, &allocated));
  Buffer buffer = doomed_.CreateBuffer(256);
  CommandBuffer commands = doomed_.CreateCommandBuffer();
  ASSERT_OK(Lose());
  allocated.reset();
  buffer.reset();
  commands.reset();
  doomed_.reset();
  ASSERT_OK(gate.Signal(1));
}

/// What holds for every kind of operation.
class DeviceLossOperationTest : public DeviceLossTest, public testing::WithParamInterface<OperationKind> {
 protected:
  hal_status_t Submit(const Points& waits, const Points& signals) const {
    return operation_.submit(HAL_QUEUE_ANY, waits, signals);
  }

  Operation operation_ = GetParam().make(doomed_);
};

TEST_P(DeviceLossOperationTest, PendingFails) {
  const Semaphore gate = doomed_.CreateSemaphore();
  const Semaphore done = doomed_.CreateSemaphore();
  const Semaphore elsewhere = CreateSemaphore();
  ASSERT_OK(Submit({{gate, 1}}, {{done, 1}, {elsewhere, 1}}));
  ASSERT_OK(Lose());
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, done.Wait(1));
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, elsewhere.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(kReason));
}

TEST_P(DeviceLossOperationTest, DeferredByAnotherDeviceFails) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore elsewhere = CreateSemaphore();
  ASSERT_OK(Submit({{gate, 1}}, {{elsewhere, 1}}));
  ASSERT_OK(Lose());
  // The other device works on and never signals the gate.
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, elsewhere.Wait(1));
}

TEST_P(DeviceLossOperationTest, SubmittedAfterwardsFailsOrIsRefused) {
  const Semaphore elsewhere = CreateSemaphore();
  ASSERT_OK(Lose());
  const hal_status_t status = Submit(kNoWaits, {{elsewhere, 1}});
  EXPECT_STATUS(HAL_STATUS_DEVICE_LOST, status == HAL_STATUS_OK ? elsewhere.Wait(1) : status);
}

INSTANTIATE_TEST_SUITE_P(Operations, DeviceLossOperationTest, testing::ValuesIn(OperationKinds()), ByName);

}  // namespace
}  // namespace halyard::cts
