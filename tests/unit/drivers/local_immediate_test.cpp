// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the local devices that begin and end within their own submission, and those that must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "support/joining_thread.h"

namespace halyard {
namespace {

class LocalImmediateTest : public testing::TestWithParam<const char*> {
 protected:
  static hal_device_t* Open() {
    hal_device_t* device = nullptr;
    EXPECT_EQ(hal_device_create(hal_string_view(GetParam()), &device), HAL_STATUS_OK) << hal_last_error_message();
    return device;
  }
  static hal_semaphore_t* Timeline(hal_device_t* device) {
    hal_semaphore_t* semaphore = nullptr;
    EXPECT_EQ(hal_semaphore_create(device, nullptr, &semaphore), HAL_STATUS_OK);
    return semaphore;
  }
};

// The submitting thread still touches what it signals when the other one has seen it. Found by the sanitizers if it is
// gone then.
TEST_P(LocalImmediateTest, AThreadThatSeesTheSignalMayReleaseTheTimelineAndTheDevice) {
  for (int round = 0; round < 100; ++round) {
    hal_device_t* const device = Open();
    hal_semaphore_t* const done = Timeline(device);
    const JoiningThread other([=] {
      EXPECT_EQ(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
      hal_semaphore_release(done);
      hal_device_release(device);
    });
    const hal_timeline_point_t point = hal_timeline_point(done, 1);
    EXPECT_EQ(hal_device_queue_barrier(device, hal::SubmitParams({}, {&point, 1})), HAL_STATUS_OK);
  }
}

// A late signal is the application's mistake, and the submission is right: the timeline fails.
TEST_P(LocalImmediateTest, ALateSignalFailsTheTimeline) {
  hal_device_t* const device = Open();
  hal_semaphore_t* const late = Timeline(device);
  hal_semaphore_t* const other = Timeline(device);
  ASSERT_EQ(hal_semaphore_signal(late, 5), HAL_STATUS_OK);
  const hal_timeline_point_t points[] = {hal_timeline_point(late, 5), hal_timeline_point(other, 1)};
  EXPECT_EQ(hal_device_queue_barrier(device, hal::SubmitParams({}, {points, 2})), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(late, 6, HAL_TIMEOUT_INFINITE), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(hal_last_error_message()).find("already stands at 5"), std::string::npos)
      << hal_last_error_message();
  EXPECT_EQ(hal_semaphore_wait(other, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  hal_semaphore_release(other);
  hal_semaphore_release(late);
  hal_device_release(device);
}

// What cannot run fails its signals, with words, and not the call.
TEST_P(LocalImmediateTest, AFailureReachesEverySignal) {
  hal_device_t* const device = Open();
  hal_semaphore_t* const done = Timeline(device);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_buffer_t* buffer = nullptr;
  // Its memory comes with the signal of another timeline, for which nothing waits.
  hal_semaphore_t* const never = Timeline(device);
  const hal_timeline_point_t allocated = hal_timeline_point(never, 1);
  const hal_timeline_point_t given = hal_timeline_point(never, 2);
  ASSERT_EQ(hal_device_queue_alloca(device, hal::SubmitParams({&allocated, 1}, {&given, 1}), &params, 64, &buffer),
            HAL_STATUS_OK);
  const hal_timeline_point_t points[] = {hal_timeline_point(done, 1)};
  EXPECT_EQ(hal_device_queue_fill(device, hal::SubmitParams({}, {points, 1}), hal_buffer_ref(buffer, 0, 64), "Z", 1),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_FAILED_PRECONDITION);
  EXPECT_STRNE(hal_last_error_message(), "");
  ASSERT_EQ(hal_semaphore_signal(never, 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(never, 2, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  hal_buffer_release(buffer);
  hal_semaphore_release(never);
  hal_semaphore_release(done);
  hal_device_release(device);
}

// One that waits becomes an action, and those behind it stay behind it.
TEST_P(LocalImmediateTest, WhatWaitsIsNotOvertaken) {
  hal_device_t* const device = Open();
  hal_semaphore_t* const begin = Timeline(device);
  hal_semaphore_t* const done = Timeline(device);
  const hal_timeline_point_t first = hal_timeline_point(begin, 1);
  for (uint64_t value = 1; value <= 3; ++value) {
    const hal_timeline_point_t before = hal_timeline_point(done, value - 1);
    const hal_timeline_point_t after = hal_timeline_point(done, value);
    EXPECT_EQ(hal_device_queue_barrier(device, hal::SubmitParams({value == 1 ? &first : &before, 1}, {&after, 1})),
              HAL_STATUS_OK);
  }
  uint64_t value = 7;
  EXPECT_EQ(hal_semaphore_query(done, &value), HAL_STATUS_OK);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(hal_semaphore_signal(begin, 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(done, 3, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  hal_semaphore_release(done);
  hal_semaphore_release(begin);
  hal_device_release(device);
}

/// Host calls that each submit a barrier and the next one, all on one thread.
struct Chain {
  hal_device_t* device;
  hal_semaphore_t* done;
  uint64_t left;
  int depth = 0;
  int deepest = 0;

  static hal_status_t Call(void* user_data, hal_status_t) {
    auto& chain = *static_cast<Chain*>(user_data);
    chain.deepest = std::max(chain.deepest, ++chain.depth);
    hal_status_t status = HAL_STATUS_OK;
    if (--chain.left > 0) {
      const hal_timeline_point_t next = hal_timeline_point(chain.done, 1000 - chain.left);
      status = hal_device_queue_barrier(chain.device, hal::SubmitParams({}, {&next, 1}));
      if (status == HAL_STATUS_OK) {
        status = hal_device_queue_host_call(chain.device, hal::SubmitParams({&next, 1}, {}), Call, &chain);
      }
    } else {
      status = hal_semaphore_signal(chain.done, 1000);
    }
    --chain.depth;
    return status;
  }
};

TEST(LocalImmediateSyncTest, WhatACallbackSubmitsDoesNotNest) {
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), &device), HAL_STATUS_OK);
  Chain chain{device, nullptr, 1000};
  ASSERT_EQ(hal_semaphore_create(device, nullptr, &chain.done), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_queue_host_call(device, hal::SubmitParams({}, {}), Chain::Call, &chain), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(chain.done, 1000, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(chain.deepest, 1);
  hal_semaphore_release(chain.done);
  hal_device_release(device);
}

INSTANTIATE_TEST_SUITE_P(Modes, LocalImmediateTest, testing::Values("local://sync", "local://task?threads=2"),
                         [](const auto& mode) { return mode.index == 0 ? "Sync" : "Task"; });

}  // namespace
}  // namespace halyard
