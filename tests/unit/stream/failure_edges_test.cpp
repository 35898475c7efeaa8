// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a failure must not do: report unfinished work as done, keep another device alive, or call the application with
// a lock held.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

StreamDevice& Inner(const Ref<hal_device_t>& device) { return *static_cast<StreamDevice*>(device.get()); }

/// Runs for completion=fast and completion=portable.
class FailureEdgeTest : public testing::TestWithParam<const char*> {
 protected:
  MemoryDevice memory_{std::string("queues=1&completion=") + GetParam()};
};

// An event whose record failed says nothing, and looks as if it were done: no thread may query it. What is in flight
// before it would seem done as well.
TEST_P(FailureEdgeTest, AFailedRecordDoesNotEndEarlierWork) {
  ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
  MemoryWorld& world = *memory_.world;
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> earlier = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> later = MakeSemaphore(memory_.device);
  world.paused = true;
  ASSERT_EQ(Fill(memory_.device, {}, {{earlier.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  world.Fail("RecordEvent", HAL_STATUS_RESOURCE_EXHAUSTED);
  // Waits for its stream, as nothing marks the end of its work.
  std::thread submitter([&] { EXPECT_EQ(Fill(memory_.device, {}, {{later.get(), 1}}, buffer, 2), HAL_STATUS_OK); });
  // The completion thread looks at the newest submission now and then.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  uint64_t value = 0;
  while (value == 0 && std::chrono::steady_clock::now() < end) {
    EXPECT_EQ(hal_semaphore_query(earlier.get(), &value), HAL_STATUS_OK);
    std::this_thread::yield();
  }
  EXPECT_EQ(value, 0u) << "nothing has run yet";
  EXPECT_EQ(world.faults.Failures(), 1u) << "no record failed";
  world.paused = false;
  submitter.join();
  EXPECT_EQ(Wait(earlier, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(later, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(First(buffer), 2u);
}

// An operation that waits for another device's submission, and for something that fails, so that it never gets there.
TEST_P(FailureEdgeTest, AFailedOperationLetsGoOfTheOtherDevice) {
  ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> never = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> result = MakeSemaphore(memory_.device);
  std::shared_ptr<MemoryWorld> other_world;
  {
    const MemoryDevice other(std::string("queues=1&completion=") + GetParam());
    ASSERT_EQ(other.status, HAL_STATUS_OK) << hal_last_error_message();
    other_world = other.world;
    const Ref<hal_buffer_t> there = MakeBuffer(other.device, 64);
    const Ref<hal_semaphore_t> pending = MakeSemaphore(other.device);
    other_world->paused = true;
    ASSERT_EQ(Fill(other.device, {}, {{pending.get(), 1}}, there, 1), HAL_STATUS_OK);
    ASSERT_EQ(Fill(memory_.device, {{pending.get(), 1}, {never.get(), 1}}, {{result.get(), 1}}, buffer, 1),
              HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_fail(never.get(), HAL_STATUS_ABORTED, hal_string_view("for a test")), HAL_STATUS_OK);
    EXPECT_EQ(Wait(result, 1), HAL_STATUS_ABORTED);
    other_world->paused = false;
    EXPECT_EQ(Wait(pending, 1), HAL_STATUS_OK);
  }
  EXPECT_TRUE(BecomesEmpty(*other_world)) << "an operation in the pool keeps the other device";
}

INSTANTIATE_TEST_SUITE_P(Completion, FailureEdgeTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

/// In a callback, takes an interop queue on another thread.
struct Asker {
  StreamDevice& device;
  std::future<Status> answer;
  bool answered = false;
  std::promise<void> called;  // the callback has returned

  static void Ask(void* user_data, hal_status_t, hal_string_view_t) {
    auto* const self = static_cast<Asker*>(user_data);
    self->answer = std::async(std::launch::async, [self] {
      const NativeScope scope(self->device.api());
      SubmissionQueue* queue = nullptr;
      return self->device.TakeInteropQueue(nullptr, &queue);
    });
    self->answered = self->answer.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
    self->called.set_value();
  }
};

// A thread that looks for an idle interop queue finds the device lost, and calls all waiting callbacks. Only in this
// mode does a look put something into the stream.
TEST(InteropQueueTest, ALossFoundOnTheWayCallsTheApplicationWithoutTheLock) {
  MemoryDevice memory("queues=1&completion=fast");
  ASSERT_EQ(memory.status, HAL_STATUS_OK) << hal_last_error_message();
  StreamDevice& device = Inner(memory.device);
  const Ref<hal_semaphore_t> told = MakeSemaphore(memory.device);
  const Ref<hal_semaphore_t> busy = MakeSemaphore(memory.device);
  const Point signal = {busy.get(), 1};
  Asker asker{device, {}, false, {}};
  ASSERT_EQ(hal_semaphore_notify(told.get(), 1, Asker::Ask, &asker, nullptr), HAL_STATUS_OK);
  const NativeScope scope(device.api());
  NativeStream stream = nullptr;
  ASSERT_EQ(device.api().CreateStream(&stream), kOk);
  memory.world->paused = true;
  ASSERT_EQ(JoinStream(device, stream, {}, hal_semaphore_list(&signal, 1)), kOk) << hal_last_error_message();
  memory.world->Fail("WriteValue", HAL_STATUS_DEVICE_LOST);
  SubmissionQueue* queue = nullptr;
  static_cast<void>(device.TakeInteropQueue(nullptr, &queue));
  EXPECT_EQ(hal_device_query_health(memory.device.get()), HAL_STATUS_DEVICE_LOST);
  ASSERT_EQ(asker.called.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready)
      << "no callback was called";
  EXPECT_TRUE(asker.answered) << "the callback ran with the lock of the interop queues held";
  device.api().DestroyStream(stream);
}

}  // namespace
}  // namespace halyard::stream
