// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for several semaphores: hal_semaphore_list_wait().
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "fake_driver.h"
#include "halyard/semaphore.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;

constexpr uint64_t kSoon = 1'000'000;  // nanoseconds

class ListWaitTest : public FakeDriverTest, public ::testing::WithParamInterface<size_t> {
 protected:
  ListWaitTest() {
    device_ = OpenDevice(fake_);
    for (size_t i = 0; i < GetParam(); ++i) {
      hal_semaphore_t* semaphore = nullptr;
      EXPECT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_OK);
      points_.push_back({semaphore, 1});
    }
  }
  ~ListWaitTest() override {
    for (const hal_timeline_point_t& point : points_) hal_semaphore_release(point.semaphore);
  }

  hal_status_t Wait(hal_wait_flags_t mode, uint64_t timeout_ns) {
    return hal_semaphore_list_wait(hal_semaphore_list(points_.data(), points_.size()), mode, timeout_ns, nullptr);
  }
  void Signal(size_t i) { EXPECT_EQ(hal_semaphore_signal(points_[i].semaphore, 1), HAL_STATUS_OK); }
  void Fail(size_t i) {
    EXPECT_EQ(hal_semaphore_fail(points_[i].semaphore, HAL_STATUS_DATA_LOSS, hal_string_view("bits fell off")),
              HAL_STATUS_OK);
  }

  FakeInterface fake_;
  hal_device_t* device_ = nullptr;
  std::vector<hal_timeline_point_t> points_;
};

TEST_P(ListWaitTest, NothingReachedYet) {
  for (const hal_wait_flags_t mode : {HAL_WAIT_ALL, HAL_WAIT_ANY}) {
    EXPECT_EQ(Wait(mode, 0), HAL_STATUS_DEADLINE_EXCEEDED);
    EXPECT_EQ(Wait(mode, kSoon), HAL_STATUS_DEADLINE_EXCEEDED);
    EXPECT_STRNE(hal_last_error_message(), "");
  }
}

TEST_P(ListWaitTest, AllReachedBefore) {
  for (size_t i = 0; i < points_.size(); ++i) Signal(i);
  EXPECT_EQ(Wait(HAL_WAIT_ALL, 0), HAL_STATUS_OK);
  EXPECT_EQ(Wait(HAL_WAIT_ANY, 0), HAL_STATUS_OK);
}

TEST_P(ListWaitTest, AllNeedsTheLastOne) {
  for (size_t i = 1; i < points_.size(); ++i) Signal(i);
  EXPECT_EQ(Wait(HAL_WAIT_ALL, kSoon), HAL_STATUS_DEADLINE_EXCEEDED);
  std::thread signaller([&] { Signal(0); });
  EXPECT_EQ(Wait(HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  signaller.join();
}

TEST_P(ListWaitTest, AnyIsContentWithTheLastOne) {
  std::thread signaller([&] { Signal(points_.size() - 1); });
  EXPECT_EQ(Wait(HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  signaller.join();
  EXPECT_EQ(Wait(HAL_WAIT_ANY, 0), HAL_STATUS_OK);
}

TEST_P(ListWaitTest, AllReturnsAtTheFirstFailure) {
  std::thread failing([&] { Fail(points_.size() - 1); });
  EXPECT_EQ(Wait(HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE), HAL_STATUS_DATA_LOSS);
  EXPECT_STREQ(hal_last_error_message(), "bits fell off");
  failing.join();
  EXPECT_EQ(Wait(HAL_WAIT_ALL, 0), HAL_STATUS_DATA_LOSS);
  EXPECT_STREQ(hal_last_error_message(), "bits fell off");
}

TEST_P(ListWaitTest, AnyFailsIfAFailureComesFirst) {
  std::thread failing([&] { Fail(0); });
  EXPECT_EQ(Wait(HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE), HAL_STATUS_DATA_LOSS);
  EXPECT_STREQ(hal_last_error_message(), "bits fell off");
  failing.join();
}

TEST_P(ListWaitTest, ReachedBeforeItsFailureIsReached) {
  for (size_t i = 0; i < points_.size(); ++i) {
    Signal(i);
    Fail(i);
  }
  EXPECT_EQ(Wait(HAL_WAIT_ALL, 0), HAL_STATUS_OK);
  EXPECT_EQ(Wait(HAL_WAIT_ANY, 0), HAL_STATUS_OK);
}

TEST_P(ListWaitTest, SuccessLeavesTheMessageAlone) {
  hal_set_error_message(hal_string_view("an earlier failure that was not read yet"));
  for (size_t i = 0; i < points_.size(); ++i) {
    Signal(i);
    Fail(i);
  }
  EXPECT_EQ(Wait(HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_EQ(Wait(HAL_WAIT_ANY, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_STREQ(hal_last_error_message(), "an earlier failure that was not read yet");
}

TEST_P(ListWaitTest, AnAbandonedWaitLeavesNothingBehind) {
  EXPECT_EQ(Wait(HAL_WAIT_ALL, kSoon), HAL_STATUS_DEADLINE_EXCEEDED);
  for (size_t i = 0; i < points_.size(); ++i) Signal(i);  // would call into a frame that has ended
}

TEST_P(ListWaitTest, ManyWaitersAndShortTimeouts) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> waiters;
  for (int t = 0; t < 3; ++t) {
    waiters.emplace_back([&, t] {
      const hal_wait_flags_t mode = t == 0 ? HAL_WAIT_ANY : HAL_WAIT_ALL;
      while (!stop.load()) {
        const hal_status_t status = Wait(mode, static_cast<uint64_t>(t) * 20'000);
        ASSERT_TRUE(status == HAL_STATUS_OK || status == HAL_STATUS_DEADLINE_EXCEEDED);
      }
    });
  }
  std::thread last([&] { EXPECT_EQ(Wait(HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK); });
  for (size_t i = 0; i < points_.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    Signal(i);
  }
  last.join();
  stop.store(true);
  for (std::thread& waiter : waiters) waiter.join();
}

INSTANTIATE_TEST_SUITE_P(Sizes, ListWaitTest, ::testing::Values(1, 2, 3, 64, 65, 200));

TEST(ListWaitArgumentsTest, EmptyListIsSatisfied) {
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ALL, 0, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list_empty(), HAL_WAIT_ANY, 0, nullptr), HAL_STATUS_OK);
}

TEST(ListWaitArgumentsTest, BadArguments) {
  const hal_timeline_point_t point = {nullptr, 1};
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), HAL_WAIT_ALL, 0, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("list.points[0].semaphore is NULL"));
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list(nullptr, 1), HAL_WAIT_ALL, 0, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list_empty(), static_cast<hal_wait_flags_t>(7), 0, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace halyard
