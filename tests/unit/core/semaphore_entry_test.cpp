// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the core adds to a driver's semaphores: checks of arguments, limits and lifetimes.
#include <gtest/gtest.h>

#include "fake_driver.h"
#include "halyard/event.h"
#include "halyard/semaphore.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using testing::State;

class SemaphoreEntryTest : public FakeDriverTest {
 protected:
  SemaphoreEntryTest() {
    State().max_semaphore_value = 100;
    device_ = OpenDevice(fake_);
    hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
    params.initial_value = 10;
    EXPECT_EQ(hal_semaphore_create(device_, &params, &semaphore_), HAL_STATUS_OK);
  }
  ~SemaphoreEntryTest() override { hal_semaphore_release(semaphore_); }

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  hal_semaphore_t* semaphore_ = nullptr;
};

TEST_F(SemaphoreEntryTest, ValuesAboveTheLimit) {
  hal_semaphore_t* semaphore = semaphore_;
  hal_semaphore_params_t params = HAL_INIT(hal_semaphore_params_t);
  params.initial_value = 101;
  EXPECT_EQ(hal_semaphore_create(device_, &params, &semaphore), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(semaphore, nullptr);
  EXPECT_TRUE(MessageHas("params->initial_value 101 exceeds the device's max_semaphore_value 100"));
  EXPECT_EQ(hal_semaphore_signal(semaphore_, 101), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_semaphore_signal(semaphore_, 100), HAL_STATUS_OK);
}

TEST_F(SemaphoreEntryTest, AWaitThatCannotBeReachedEndsAtOnce) {
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 101, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_semaphore_wait: value 101 exceeds the device's max_semaphore_value 100"));
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 100, 0), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_TRUE(MessageHas("hal_semaphore_wait: the semaphore is at 10, and 100 was awaited"));
  const auto ignore = [](void*, hal_status_t, hal_string_view_t) {};
  EXPECT_EQ(hal_semaphore_notify(semaphore_, 101, ignore, nullptr, nullptr), HAL_STATUS_OUT_OF_RANGE);
  const hal_timeline_point_t points[] = {{semaphore_, 10}, {semaphore_, 101}};
  EXPECT_EQ(hal_semaphore_list_wait({points, 2}, HAL_WAIT_ANY, 0, nullptr), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("hal_semaphore_list_wait: list.points[1].value 101 exceeds"));
}

TEST_F(SemaphoreEntryTest, ValuesTooFarAheadOfTheTimeline) {
  const_cast<hal_device_limits_t*>(device_->info->limits)->max_semaphore_distance = 5;
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 16, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_TRUE(MessageHas("value 16 is ahead of the timeline, which stands at 10, by more than"));
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 15, 0), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 3, 0), HAL_STATUS_OK) << "it was reached";
  const auto ignore = [](void*, hal_status_t, hal_string_view_t) {};
  EXPECT_EQ(hal_semaphore_notify(semaphore_, 16, ignore, nullptr, nullptr), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_semaphore_signal(semaphore_, 16), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_semaphore_signal(semaphore_, 15), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 20, 0), HAL_STATUS_DEADLINE_EXCEEDED) << "the timeline has moved on";
}

TEST_F(SemaphoreEntryTest, DistanceOfAFailedTimeline) {
  const_cast<hal_device_limits_t*>(device_->info->limits)->max_semaphore_distance = 5;
  EXPECT_EQ(hal_semaphore_fail(semaphore_, HAL_STATUS_ABORTED, hal_string_view("stop")), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 16, 0), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(hal_semaphore_wait(semaphore_, 15, 0), HAL_STATUS_ABORTED);
  EXPECT_STREQ(hal_last_error_message(), "stop");
}

TEST_F(SemaphoreEntryTest, QueryAlsoAnswersAfterAFailure) {
  EXPECT_EQ(hal_semaphore_fail(semaphore_, HAL_STATUS_ABORTED, hal_string_view("stop")), HAL_STATUS_OK);
  uint64_t value = 0;
  EXPECT_EQ(hal_semaphore_query(semaphore_, &value), HAL_STATUS_ABORTED);
  EXPECT_EQ(value, 10u);
  EXPECT_STREQ(hal_last_error_message(), "stop");
}

TEST_F(SemaphoreEntryTest, CallbackMayGiveUpTheLastReference) {
  hal_semaphore_t* semaphore = nullptr;
  ASSERT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_OK);
  const auto release = [](void* user_data, hal_status_t, hal_string_view_t) {
    hal_semaphore_release(static_cast<hal_semaphore_t*>(user_data));
  };
  ASSERT_EQ(hal_semaphore_notify(semaphore, 1, release, semaphore, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_signal(semaphore, 1), HAL_STATUS_OK);
}

TEST_F(SemaphoreEntryTest, CancelWithoutARegistration) {
  EXPECT_EQ(hal_semaphore_cancel(semaphore_, {5, 0}), HAL_STATUS_NOT_FOUND);
  const auto ignore = [](void*, hal_status_t, hal_string_view_t) {};
  hal_timepoint_t timepoint = {1, 2};
  EXPECT_EQ(hal_semaphore_notify(semaphore_, 5, ignore, nullptr, &timepoint), HAL_STATUS_OK);
  EXPECT_EQ(timepoint.sequence, 0u) << "it was called within the call";
  EXPECT_EQ(hal_semaphore_notify(semaphore_, 50, ignore, nullptr, &timepoint), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_cancel(semaphore_, timepoint), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_cancel(semaphore_, timepoint), HAL_STATUS_NOT_FOUND);
}

TEST_F(SemaphoreEntryTest, DriverThatMakesNothingIsABug) {
  State().makes_nothing = true;
  hal_semaphore_t* semaphore = nullptr;
  hal_event_t* event = nullptr;
  EXPECT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_INTERNAL);
  EXPECT_EQ(hal_event_create(device_, &event), HAL_STATUS_INTERNAL);
}

TEST_F(SemaphoreEntryTest, NullArguments) {
  uint64_t value = 5;
  hal_semaphore_t* none = semaphore_;
  EXPECT_EQ(hal_semaphore_create(nullptr, nullptr, &none), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(hal_semaphore_create(device_, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_query(nullptr, &value), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(hal_semaphore_query(semaphore_, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_signal(nullptr, 1), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_fail(nullptr, HAL_STATUS_ABORTED, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_fail(semaphore_, HAL_STATUS_OK, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_wait(nullptr, 1, 0), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_notify(semaphore_, 1, nullptr, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_semaphore_notify: callback is NULL"));
  EXPECT_EQ(hal_semaphore_cancel(nullptr, {1, 1}), HAL_STATUS_INVALID_ARGUMENT);
  hal_semaphore_retain(nullptr);
  hal_semaphore_release(nullptr);
}

}  // namespace
}  // namespace halyard
