// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that the application can end: hal_semaphore_list_wait_while().
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "fake_driver.h"
#include "halyard/semaphore.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;

class WaitWhileTest : public FakeDriverTest {
 protected:
  WaitWhileTest() {
    EXPECT_EQ(hal_semaphore_create(OpenDevice(fake_), nullptr, &point_.semaphore), HAL_STATUS_OK);
    point_.value = 1;
  }
  ~WaitWhileTest() override { hal_semaphore_release(point_.semaphore); }

  hal_status_t Wait(uint64_t timeout_ns, std::function<bool()> go_on) {
    questions_ = 0;
    go_on_ = std::move(go_on);
    const auto ask = [](void* self) -> bool {
      auto& test = *static_cast<WaitWhileTest*>(self);
      ++test.questions_;
      return test.go_on_();
    };
    return hal_semaphore_list_wait_while(hal_semaphore_list(&point_, 1), HAL_WAIT_ANY, timeout_ns, ask, this, &index_);
  }

  FakeInterface fake_;
  hal_timeline_point_t point_ = {nullptr, 1};
  std::function<bool()> go_on_;
  int questions_ = 0;
  size_t index_ = 0;
};

TEST_F(WaitWhileTest, EndsWhenTheAnswerIsNo) {
  EXPECT_EQ(Wait(HAL_TIMEOUT_INFINITE, [&] { return questions_ < 3; }), HAL_STATUS_CANCELLED);
  EXPECT_TRUE(MessageHas("`go_on` answered false"));
  EXPECT_EQ(questions_, 3);
  EXPECT_EQ(index_, SIZE_MAX);
  EXPECT_EQ(hal_semaphore_signal(point_.semaphore, 1), HAL_STATUS_OK) << "the timeline is as it was";
}

TEST_F(WaitWhileTest, TheFunctionMayCallTheLibrary) {
  const auto signal = [&] { return hal_semaphore_signal(point_.semaphore, 1) == HAL_STATUS_OK; };
  EXPECT_EQ(Wait(HAL_TIMEOUT_INFINITE, signal), HAL_STATUS_OK);
  EXPECT_EQ(questions_, 1);
  EXPECT_EQ(index_, 0u);
  EXPECT_EQ(Wait(HAL_TIMEOUT_INFINITE, [] { return false; }), HAL_STATUS_OK) << "nothing is asked of what is reached";
  EXPECT_EQ(questions_, 0);
}

TEST_F(WaitWhileTest, EndsInTimeAndWithFailures) {
  EXPECT_EQ(Wait(1'000'000, [] { return false; }), HAL_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ(questions_, 0);
  const auto fail = [&] {
    return hal_semaphore_fail(point_.semaphore, HAL_STATUS_DATA_LOSS, hal_string_view("bits fell off")) ==
           HAL_STATUS_OK;
  };
  EXPECT_EQ(Wait(HAL_TIMEOUT_INFINITE, fail), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(MessageHas("bits fell off"));
}

TEST_F(WaitWhileTest, ExceptionsEndIt) {
  EXPECT_EQ(Wait(HAL_TIMEOUT_INFINITE, []() -> bool { throw std::runtime_error("a signal"); }), HAL_STATUS_ABORTED);
  EXPECT_TRUE(MessageHas("a signal"));
}

TEST_F(WaitWhileTest, NeedsAFunction) {
  EXPECT_EQ(hal_semaphore_list_wait_while(hal_semaphore_list(&point_, 1), HAL_WAIT_ALL, 0, nullptr, nullptr, nullptr),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("go_on is NULL"));
}

}  // namespace
}  // namespace halyard
