// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences: sets of timeline points.
#include <future>
#include <vector>

#include "cts/cts.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FenceTest : public DeviceTest {
 protected:
  /// The value that a fence holds for a semaphore; 0 if none.
  static uint64_t ValueIn(const Fence& fence, const Semaphore& semaphore) {
    for (const hal_timeline_point_t& point : fence.List()) {
      if (point.semaphore == semaphore.get()) return point.value;
    }
    return 0;
  }
};

TEST_F(FenceTest, EmptyFenceIsReached) {
  const Fence fence{Points()};
  EXPECT_THAT(fence.List(), IsEmpty());
  EXPECT_OK(fence.Query());
  EXPECT_OK(fence.Wait(0));
  EXPECT_OK(fence.Wait(HAL_TIMEOUT_INFINITE));
  EXPECT_OK(fence.Signal());
  EXPECT_OK(fence.Fail(HAL_STATUS_ABORTED));
  EXPECT_OK(fence.Query());
}

TEST_F(FenceTest, HoldsWhatWasInserted) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence{Points()};
  ASSERT_OK(fence.Insert(first, 3));
  ASSERT_OK(fence.Insert(second, 5));
  EXPECT_THAT(fence.List(), SizeIs(2));
  EXPECT_EQ(ValueIn(fence, first), 3u);
  EXPECT_EQ(ValueIn(fence, second), 5u);
}

TEST_F(FenceTest, OfTwoPointsOnOneSemaphoreTheLargerStays) {
  const Semaphore semaphore = CreateSemaphore();
  const Fence fence{Points()};
  for (const uint64_t value : {4u, 7u, 2u, 7u}) ASSERT_OK(fence.Insert(semaphore, value));
  EXPECT_THAT(fence.List(), SizeIs(1));
  EXPECT_EQ(ValueIn(fence, semaphore), 7u);
}

TEST_F(FenceTest, ExtendMergesPoints) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 3}});
  ASSERT_OK(fence.Extend({{second, 1}, {first, 2}, {second, 9}}));
  EXPECT_THAT(fence.List(), SizeIs(2));
  EXPECT_EQ(ValueIn(fence, first), 3u);
  EXPECT_EQ(ValueIn(fence, second), 9u);
}

TEST_F(FenceTest, ExtendAddsAllOrNone) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 3}});
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, fence.Extend({{second, 1}, {first, 9}, {nullptr, 1}}));
  EXPECT_THAT(fence.List(), SizeIs(1));
  EXPECT_EQ(ValueIn(fence, first), 3u);
}

TEST_F(FenceTest, KeepsItsSemaphoresAlive) {
  Counter calls;
  hal_status_t status = HAL_STATUS_OK;
  Semaphore semaphore = CreateSemaphore();
  Fence fence({{semaphore, 1}});
  ASSERT_OK(semaphore.Notify(2, [&](hal_status_t s, const std::string&) {
    status = s;
    calls.Add();
  }));
  semaphore.reset();
  EXPECT_EQ(calls.count(), 0u);
  EXPECT_OK(fence.Signal());
  EXPECT_OK(fence.Wait());
  fence.reset();  // the last reference to the semaphore
  ASSERT_TRUE(calls.WaitFor(1));
  EXPECT_STATUS(HAL_STATUS_CANCELLED, status);
}

TEST_F(FenceTest, QueryTellsReachedFromPendingAndFailed) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 1}, {second, 1}});
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, fence.Query());
  ASSERT_OK(first.Signal(1));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, fence.Query());
  ASSERT_OK(second.Signal(2));
  EXPECT_OK(fence.Query());
  ASSERT_OK(second.Fail(HAL_STATUS_ABORTED));
  EXPECT_OK(fence.Query()) << "the point was reached before the failure";
}

TEST_F(FenceTest, QueryReturnsAFailure) {
  const Semaphore first = CreateSemaphore(1);
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 1}, {second, 1}});
  ASSERT_OK(second.Fail(HAL_STATUS_DATA_LOSS, "torn"));
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, fence.Query());
  EXPECT_THAT(hal_last_error_message(), HasSubstr("torn"));
}

TEST_F(FenceTest, SignalReachesEveryPoint) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 3}, {second, 5}});
  ASSERT_OK(fence.Signal());
  EXPECT_EQ(first.Value(), 3u);
  EXPECT_EQ(second.Value(), 5u);
  EXPECT_OK(fence.Query());
}

TEST_F(FenceTest, SignalStopsAtTheFirstThatCannotBe) {
  const std::vector<Semaphore> semaphores = {CreateSemaphore(), CreateSemaphore(), CreateSemaphore()};
  const Fence fence({{semaphores[0], 1}, {semaphores[1], 1}, {semaphores[2], 1}});
  const std::vector<hal_timeline_point_t> order = fence.List();
  ASSERT_THAT(order, SizeIs(3));
  ASSERT_OK(hal_semaphore_signal(order[1].semaphore, 8));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, fence.Signal());
  const auto value_of = [](const hal_timeline_point_t& point) {
    uint64_t value = 0;
    EXPECT_OK(hal_semaphore_query(point.semaphore, &value));
    return value;
  };
  EXPECT_EQ(value_of(order[0]), 1u);
  EXPECT_EQ(value_of(order[1]), 8u);
  EXPECT_EQ(value_of(order[2]), 0u);
}

TEST_F(FenceTest, FailFailsEverySemaphore) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 1}, {second, 1}});
  ASSERT_OK(fence.Fail(HAL_STATUS_UNAVAILABLE, "closed"));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, first.Wait(1));
  EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, second.Wait(1));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("closed"));
}

TEST_F(FenceTest, OkIsNoFailure) {
  const Semaphore semaphore = CreateSemaphore();
  const Fence fence({{semaphore, 1}});
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, fence.Fail(HAL_STATUS_OK));
  EXPECT_OK(semaphore.Query());
}

TEST_F(FenceTest, WaitRunsOut) {
  const Fence fence({{CreateSemaphore(), 1}});
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, fence.Wait(0));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, fence.Wait(1'000'000));
}

TEST_F(FenceTest, WaitEndsWithTheLastSignal) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 1}, {second, 2}});
  auto waiter = std::async(std::launch::async, [&] { return fence.Wait(); });
  ASSERT_OK(second.Signal(2));
  ASSERT_OK(first.Signal(1));
  EXPECT_OK(waiter.get());
}

TEST_F(FenceTest, WaitEndsWithAFailure) {
  const Semaphore first = CreateSemaphore();
  const Semaphore second = CreateSemaphore();
  const Fence fence({{first, 1}, {second, 2}});
  auto waiter = std::async(std::launch::async, [&] { return fence.Wait(); });
  ASSERT_OK(second.Fail(HAL_STATUS_DATA_LOSS));
  EXPECT_EQ(waiter.get(), HAL_STATUS_DATA_LOSS);
}

TEST_F(FenceTest, ValueZeroIsReachedAndCannotBeSignalled) {
  const Semaphore semaphore = CreateSemaphore();
  const Fence fence({{semaphore, 0}});
  EXPECT_OK(fence.Query());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, fence.Signal());
}

TEST_F(FenceTest, SpansDevices) {
  const Device other = OpenSecondDevice();
  const Semaphore here = CreateSemaphore();
  const Semaphore there = other.CreateSemaphore();
  const Fence fence({{here, 1}, {there, 1}});
  ASSERT_OK(Barrier(kNoWaits, {{here, 1}}));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, fence.Query());
  ASSERT_OK(other.QueueBarrier(kNoWaits, {{there, 1}}));
  EXPECT_OK(fence.Wait());
}

TEST_F(FenceTest, IsAWaitListAndASignalListOfAQueue) {
  const std::vector<Semaphore> inputs = {CreateSemaphore(), CreateSemaphore()};
  const std::vector<Semaphore> outputs = {CreateSemaphore(), CreateSemaphore()};
  const Fence before({{inputs[0], 1}, {inputs[1], 1}});
  const Fence after({{outputs[0], 1}, {outputs[1], 1}});
  ASSERT_OK(hal_device_queue_barrier(device(), hal::SubmitParams(hal_fence_list(before), hal_fence_list(after))));
  EXPECT_STATUS(HAL_STATUS_DEADLINE_EXCEEDED, after.Query());
  ASSERT_OK(before.Signal());
  EXPECT_OK(after.Wait());
}

// What a queue took from a fence stays as it was when the fence changes.
TEST_F(FenceTest, QueueCapturesItsList) {
  const Semaphore input = CreateSemaphore();
  const Semaphore late = CreateSemaphore();
  const Semaphore output = CreateSemaphore();
  {
    const Fence fence({{input, 1}});
    ASSERT_OK(hal_device_queue_barrier(device(), hal::SubmitParams(hal_fence_list(fence), Points({{output, 1}}))));
    ASSERT_OK(fence.Insert(input, 100));
    ASSERT_OK(fence.Insert(late, 1));
  }
  ASSERT_OK(input.Signal(1));
  EXPECT_OK(output.Wait(1));
}

/// Fences that grow past their capacity.
struct FenceSize {
  size_t capacity;
  size_t count;
};
void PrintTo(const FenceSize& size, std::ostream* out) { *out << size.count << " points in " << size.capacity; }

class FenceSizeTest : public DeviceTestWith<FenceSize> {};

TEST_P(FenceSizeTest, HoldsAllPoints) {
  std::vector<Semaphore> semaphores;
  Fence fence;
  ASSERT_OK(hal_fence_create(GetParam().capacity, fence.out()));
  for (size_t i = 0; i < GetParam().count; ++i) {
    semaphores.push_back(CreateSemaphore());
    ASSERT_OK(fence.Insert(semaphores.back(), i + 1));
  }
  EXPECT_THAT(fence.List(), SizeIs(GetParam().count));
  ASSERT_OK(hal_device_queue_barrier(device(), hal::SubmitParams(kNoWaits, hal_fence_list(fence))));
  EXPECT_OK(fence.Wait());
  for (size_t i = 0; i < GetParam().count; ++i) EXPECT_EQ(semaphores[i].Value(), i + 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FenceSizeTest,
                         testing::Values(FenceSize{0, 0}, FenceSize{0, 1}, FenceSize{1, 1}, FenceSize{1, 2},
                                         FenceSize{4, 3}, FenceSize{4, 4}, FenceSize{4, 5}, FenceSize{0, 64},
                                         FenceSize{100, 100}, FenceSize{3, 100}),
                         [](const auto& test) {
                           return std::to_string(test.param.count) + "PointsInCapacity" +
                                  std::to_string(test.param.capacity);
                         });

}  // namespace
}  // namespace halyard::cts
