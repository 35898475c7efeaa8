// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that waits for a submission learns its end in time, even if its stream has not written the completion value
// and runs long work next.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

std::atomic<bool> g_blocked{false};  // the kernel does not end

/// Runs for completion=fast and completion=portable.
class CompletionValueTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
    g_blocked = true;
    MemoryKernels()["block"] = [](const hal_local_dispatch_t*, const hal_local_workgroup_t*) {
      while (g_blocked) std::this_thread::yield();
      return 0;
    };
    executable_ = LoadKernels(memory_.device, {"block"});
  }
  void TearDown() override {
    g_blocked = false;
    EXPECT_EQ(Wait(after_, 1), HAL_STATUS_OK);
  }

  /// A submission that is done soon, and one on the same queue that is not.
  void SubmitBoth() {
    ASSERT_EQ(Fill(memory_.device, {}, {{timeline_.get(), 1}}, buffer_, 7, 1), HAL_STATUS_OK);
    const hal_buffer_ref_t binding = hal_buffer_ref(buffer_.get(), 0, HAL_WHOLE_SIZE);
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.bindings = hal_buffer_ref_list(&binding, 1);
    const Point wait = {timeline_.get(), 1};
    const Point signal = {after_.get(), 1};
    ASSERT_EQ(
        hal_device_queue_dispatch(memory_.device.get(),
                                  hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1), 1),
                                  executable_.get(), 0, &params),
        HAL_STATUS_OK)
        << hal_last_error_message();
  }

  MemoryDevice memory_{std::string("completion=") + GetParam()};
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(memory_.device);
  Ref<hal_semaphore_t> after_ = MakeSemaphore(memory_.device);
  Ref<hal_buffer_t> buffer_ = MakeBuffer(memory_.device, 64);
  Ref<hal_executable_t> executable_;
};

TEST_P(CompletionValueTest, WaitReturns) {
  SubmitBoth();
  EXPECT_EQ(Wait(timeline_, 1), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_P(CompletionValueTest, WaitThatSleepsReturns) {
  SubmitBoth();
  const Point point = {timeline_.get(), 1};
  EXPECT_EQ(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), HAL_WAIT_ALL, kTenSeconds, nullptr), HAL_STATUS_OK);
}

// So many submissions follow the long one that the stream writes the completion value for one of them, much later.
TEST_P(CompletionValueTest, WaitReturnsThoughALaterOneIsWritten) {
  SubmitBoth();
  const Ref<hal_semaphore_t> later = MakeSemaphore(memory_.device);
  for (uint64_t value = 1; value <= 20; ++value) {
    ASSERT_EQ(Fill(memory_.device, {}, {{later.get(), value}}, buffer_, 9, 1), HAL_STATUS_OK);
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(hal_semaphore_wait(timeline_.get(), 1, kTenSeconds), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(9)) << "found by the last look only";
}

TEST_P(CompletionValueTest, PollingFindsIt) {
  SubmitBoth();
  const auto begin = std::chrono::steady_clock::now();
  uint64_t value = 0;
  while (value == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
    ASSERT_EQ(hal_semaphore_query(timeline_.get(), &value), HAL_STATUS_OK);
  }
  EXPECT_EQ(value, 1u);
}

// As above: the last write of the completion value is queued behind the long one.
TEST_P(CompletionValueTest, PollingFindsItThoughALaterOneIsWritten) {
  SubmitBoth();
  const Ref<hal_semaphore_t> later = MakeSemaphore(memory_.device);
  for (uint64_t value = 1; value <= 20; ++value) {
    ASSERT_EQ(Fill(memory_.device, {}, {{later.get(), value}}, buffer_, 9, 1), HAL_STATUS_OK);
  }
  const auto nothing = [](void*, hal_status_t, hal_string_view_t) {};
  ASSERT_EQ(hal_semaphore_notify(later.get(), 20, nothing, nullptr, nullptr),
            HAL_STATUS_OK);  // keeps the completion thread busy
  const auto begin = std::chrono::steady_clock::now();
  uint64_t value = 0;
  while (value == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) {
    ASSERT_EQ(hal_semaphore_query(timeline_.get(), &value), HAL_STATUS_OK);
  }
  EXPECT_EQ(value, 1u);
  g_blocked = false;
  EXPECT_EQ(Wait(later, 20), HAL_STATUS_OK);
}

// The completion thread sleeps on the long one when a thread asks for the other, which was done before.
TEST_P(CompletionValueTest, CallbackComesThoughTheThreadSleeps) {
  const auto call = [](void* user_data, hal_status_t, hal_string_view_t) {
    static_cast<std::atomic<bool>*>(user_data)->store(true);
  };
  std::atomic<bool> late{false};
  ASSERT_EQ(hal_semaphore_notify(after_.get(), 1, call, &late, nullptr), HAL_STATUS_OK);
  SubmitBoth();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::atomic<bool> called{false};
  ASSERT_EQ(hal_semaphore_notify(timeline_.get(), 1, call, &called, nullptr), HAL_STATUS_OK);
  const auto begin = std::chrono::steady_clock::now();
  while (!called && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)) std::this_thread::yield();
  EXPECT_TRUE(called);
  EXPECT_FALSE(late);
  g_blocked = false;
  EXPECT_EQ(Wait(after_, 1), HAL_STATUS_OK);
  while (!late) std::this_thread::yield();
}

TEST_P(CompletionValueTest, CallbackComes) {
  std::atomic<bool> called{false};
  const auto callback = [](void* user_data, hal_status_t, hal_string_view_t) {
    static_cast<std::atomic<bool>*>(user_data)->store(true);
  };
  ASSERT_EQ(hal_semaphore_notify(timeline_.get(), 1, callback, &called, nullptr), HAL_STATUS_OK);
  SubmitBoth();
  EXPECT_EQ(Wait(timeline_, 1), HAL_STATUS_OK);
  while (!called) std::this_thread::yield();
}

// A callback that is the first to ask, after the other submission.
TEST_P(CompletionValueTest, LateCallbackComes) {
  SubmitBoth();
  std::atomic<bool> called{false};
  const auto callback = [](void* user_data, hal_status_t, hal_string_view_t) {
    static_cast<std::atomic<bool>*>(user_data)->store(true);
  };
  ASSERT_EQ(hal_semaphore_notify(timeline_.get(), 1, callback, &called, nullptr), HAL_STATUS_OK);
  while (!called) std::this_thread::yield();
}

TEST_P(CompletionValueTest, BarrierAfterItEndsWithIt) {
  SubmitBoth();
  const Ref<hal_semaphore_t> joined = MakeSemaphore(memory_.device);
  ASSERT_EQ(Barrier(memory_.device, {{timeline_.get(), 1}}, {{joined.get(), 1}}, 1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(joined, 1), HAL_STATUS_OK) << hal_last_error_message();
}

// An edge that is polled: the stream at its end is asked for a completion value at once, the other one not at all.
TEST(PolledEdgeTest, TheLastQueueIsAskedFirst) {
  const MemoryDevice memory("completion=fast");
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory.device);
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory.device, 64);
  memory.world->paused = true;
  ASSERT_EQ(Fill(memory.device, {}, {{timeline.get(), 1}}, buffer, 7, 1), HAL_STATUS_OK);
  ASSERT_EQ(Fill(memory.device, {{timeline.get(), 1}}, {{timeline.get(), 2}}, buffer, 8, 2), HAL_STATUS_OK);
  const uint64_t writes = memory.world->Calls("WriteValue");
  uint64_t value = 0;
  for (int i = 0; i < 10; ++i) ASSERT_EQ(hal_semaphore_query(timeline.get(), &value), HAL_STATUS_OK);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(memory.world->Calls("WriteValue"), writes + 1);
  memory.world->paused = false;
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 8u);
}

INSTANTIATE_TEST_SUITE_P(Completion, CompletionValueTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
