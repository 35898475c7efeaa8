// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/fence.h"

#include <gtest/gtest.h>

#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using testing::State;

/// What only a fake driver shows, and the messages of refusals. The suite checks all else (tests/cts).
class FenceTest : public FakeDriverTest {
 protected:
  FenceTest() {
    State().max_semaphore_value = 1000;
    device_ = OpenDevice(fake_);
    EXPECT_EQ(hal_fence_create(2, &fence_), HAL_STATUS_OK);
    for (hal_semaphore_t*& semaphore : semaphores_) {
      EXPECT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_OK) << hal_last_error_message();
    }
  }
  ~FenceTest() override {
    hal_fence_release(fence_);
    for (hal_semaphore_t* semaphore : semaphores_) hal_semaphore_release(semaphore);
  }

  std::vector<std::pair<hal_semaphore_t*, uint64_t>> Points() {
    const hal_semaphore_list_t list = hal_fence_list(fence_);
    std::vector<std::pair<hal_semaphore_t*, uint64_t>> points;
    for (size_t i = 0; i < list.count; ++i) points.emplace_back(list.points[i].semaphore, list.points[i].value);
    return points;
  }

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  hal_fence_t* fence_ = nullptr;
  hal_semaphore_t* semaphores_[3] = {};
};

TEST_F(FenceTest, ExtendNamesTheWrongPoint) {
  const hal_timeline_point_t bad[] = {{semaphores_[2], 1}, {nullptr, 2}};
  EXPECT_EQ(hal_fence_extend(fence_, hal_semaphore_list(bad, 2)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_fence_extend: list.points[1].semaphore is NULL"));
}

TEST_F(FenceTest, ExtendByItsOwnList) {
  for (hal_semaphore_t* semaphore : semaphores_) ASSERT_EQ(hal_fence_insert(fence_, semaphore, 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_fence_extend(fence_, hal_fence_list(fence_)), HAL_STATUS_OK);
  EXPECT_EQ(Points().size(), 3u);
}

TEST_F(FenceTest, QueryAndWaitSayWhatIsPending) {
  ASSERT_EQ(hal_fence_insert(fence_, semaphores_[0], 1), HAL_STATUS_OK);
  ASSERT_EQ(hal_fence_insert(fence_, semaphores_[1], 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_fence_wait(fence_, 1000), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(MessageHas("hal_fence_wait: points[0] of 2 is not reached: its semaphore is at 0, and 1 was awaited"));
  ASSERT_EQ(hal_semaphore_signal(semaphores_[0], 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_fence_query(fence_), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(MessageHas("hal_fence_query: points[1] of 2 is not reached: its semaphore is at 0, and 1 was awaited"));
}

TEST_F(FenceTest, ValueAboveTheLimitIsRefused) {
  EXPECT_EQ(hal_fence_insert(fence_, semaphores_[0], 1001), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_fence_insert: value 1001 exceeds the device's max_semaphore_value 1000"));
  const hal_timeline_point_t points[] = {{semaphores_[0], 1}, {semaphores_[1], 1001}};
  EXPECT_EQ(hal_fence_extend(fence_, hal_semaphore_list(points, 2)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_fence_extend: list.points[1].value 1001 exceeds"));
  EXPECT_EQ(Points().size(), 0u);
}

TEST_F(FenceTest, FailWithTheLastMessage) {
  ASSERT_EQ(hal_fence_insert(fence_, semaphores_[0], 1), HAL_STATUS_OK);
  ASSERT_EQ(hal_fence_insert(fence_, semaphores_[1], 2), HAL_STATUS_OK);
  hal_set_error_message(hal_string_view("words that the thread has already"));
  EXPECT_EQ(hal_fence_fail(fence_, HAL_STATUS_ABORTED, hal_string_view(hal_last_error_message())), HAL_STATUS_OK);
  EXPECT_EQ(hal_fence_query(fence_), HAL_STATUS_ABORTED);
  EXPECT_STREQ(hal_last_error_message(), "words that the thread has already");
}

TEST_F(FenceTest, UnknownStatusIsNoFailure) {
  EXPECT_EQ(hal_fence_fail(fence_, static_cast<hal_status_t>(99), {}), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(FenceTest, AbsurdCapacity) {
  hal_fence_t* fence = fence_;
  EXPECT_EQ(hal_fence_create(SIZE_MAX, &fence), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(fence, nullptr);
}

}  // namespace
}  // namespace halyard
