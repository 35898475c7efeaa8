// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stream core in both completion modes, on an API that logs its calls.
#include <atomic>
#include <cstring>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "halyard/fault_injection.h"
#include "unit/stream/recorder.h"

namespace halyard::stream {
namespace {

/// Runs for completion=fast and completion=portable.
class StreamDeviceTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }
  void TearDown() override {
    const std::shared_ptr<MemoryWorld> world = memory_.world;
    memory_.device = {};
    if (!world->broken) {
      EXPECT_TRUE(BecomesEmpty(*world)) << world->streams << " streams, " << world->events << " events, "
                                        << world->allocations << " allocations";
    }
    EXPECT_EQ(TakeReports(), "");
  }
  const Ref<hal_device_t>& device() const { return memory_.device; }
  MemoryWorld& world() { return *memory_.world; }

  MemoryDevice memory_{std::string("completion=") + GetParam()};
};

TEST_P(StreamDeviceTest, ChainOverQueuesRunsInOrder) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  for (uint32_t i = 0; i < 200; ++i) {
    ASSERT_EQ(Fill(device(), {{timeline.get(), i}}, {{timeline.get(), i + 1}}, buffer, i, Queue(i % 4)), HAL_STATUS_OK);
  }
  EXPECT_EQ(Wait(timeline, 200), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 199u);
}

TEST_P(StreamDeviceTest, ChainSubmittedBackwardsRunsInOrder) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  for (uint32_t i = 100; i-- > 0;) {
    ASSERT_EQ(Fill(device(), {{timeline.get(), i + 1}}, {{timeline.get(), i + 2}}, buffer, i, Queue(i % 4)),
              HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_semaphore_signal(timeline.get(), 1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 101), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 99u);
}

// Nothing waits on the host for what a stream can wait for: all is submitted while the device stands still.
TEST_P(StreamDeviceTest, DependentsAreSubmittedBeforeTheirPredecessorsEnd) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  world().paused = true;
  const uint64_t before = world().Calls();
  for (uint32_t i = 0; i < 10; ++i) {
    ASSERT_EQ(Fill(device(), {{timeline.get(), i}}, {{timeline.get(), i + 1}}, buffer, i, Queue(i % 2)), HAL_STATUS_OK);
  }
  EXPECT_GE(world().Calls() - before, 29u) << "each is at least a fill and a record; all but the first wait";
  uint64_t value = 1;
  EXPECT_EQ(hal_semaphore_query(timeline.get(), &value), HAL_STATUS_OK);
  EXPECT_EQ(value, 0u);
  world().paused = false;
  EXPECT_EQ(Wait(timeline, 10), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 9u);
}

// An operation that fails when it is submitted is behind others on their timeline: what they signal still comes.
TEST_P(StreamDeviceTest, FailuresComeAfterTheSignalsBeforeThem) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_semaphore_t> beside = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  const Ref<hal_buffer_t> other = MakeBuffer(device(), 64);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const auto allocate_too_much = [&](const Points& waits, const Point& signal) {
    Ref<hal_buffer_t> huge;
    return hal_device_queue_alloca(
        device().get(),
        hal::SubmitParams(hal_semaphore_list(waits.data(), waits.size()), hal_semaphore_list(&signal, 1), 1), &params,
        uint64_t{1} << 60, huge.out());
  };
  world().paused = true;
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 7, Queue(0)), HAL_STATUS_OK);
  ASSERT_EQ(Fill(device(), {}, {{beside.get(), 1}}, other, 7, Queue(1)), HAL_STATUS_OK);
  ASSERT_EQ(allocate_too_much({{beside.get(), 1}}, {beside.get(), 2}), HAL_STATUS_OK);
  ASSERT_EQ(allocate_too_much({{timeline.get(), 1}, {beside.get(), 1}}, {timeline.get(), 2}), HAL_STATUS_OK);
  uint64_t value = 9;
  EXPECT_EQ(hal_semaphore_query(timeline.get(), &value), HAL_STATUS_OK) << "failed ahead of the fill's signal";
  EXPECT_EQ(hal_semaphore_query(beside.get(), &value), HAL_STATUS_OK) << "failed ahead of the fill's signal";
  world().paused = false;
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(beside, 1), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(Wait(timeline, 2), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ(Wait(beside, 2), HAL_STATUS_RESOURCE_EXHAUSTED);
}

TEST_P(StreamDeviceTest, PollingFindsTheEnd) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 7), HAL_STATUS_OK);
  uint64_t value = 0;
  while (value == 0) ASSERT_EQ(hal_semaphore_query(timeline.get(), &value), HAL_STATUS_OK);
  EXPECT_EQ(First(buffer), 7u);
}

TEST_P(StreamDeviceTest, CallbackComesWithoutAWaitingThread) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  std::atomic<bool> called{false};
  const auto callback = [](void* user_data, hal_status_t, hal_string_view_t) {
    static_cast<std::atomic<bool>*>(user_data)->store(true);
  };
  ASSERT_EQ(hal_semaphore_notify(timeline.get(), 1, callback, &called, nullptr), HAL_STATUS_OK);
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 7), HAL_STATUS_OK);
  while (!called) std::this_thread::yield();
}

// The release callback of memory comes even if no thread looks at the device again.
TEST_P(StreamDeviceTest, UnwatchedWorkIsRetiredAndTheDeviceCloses) {
  const std::shared_ptr<MemoryWorld> world = memory_.world;
  {
    const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
    for (uint32_t i = 0; i < 50; ++i) ASSERT_EQ(Fill(device(), {}, {}, buffer, i, Queue(0)), HAL_STATUS_OK);
  }
  memory_.device = {};
  EXPECT_TRUE(BecomesEmpty(*world));
}

// B waits for A's event, not for A's count, and may be counted first: A must still be signalled first.
TEST_P(StreamDeviceTest, TimelineRisesAlsoIfCountsComeOutOfOrder) {
  world().late_writes = ~0u;
  for (int round = 0; round < 20; ++round) {
    const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
    const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
    world().late_writes = round % 2 ? 0x55555555u : 0xAAAAAAAAu;
    for (uint32_t i = 0; i < 8; ++i) {
      ASSERT_EQ(Fill(device(), {{timeline.get(), i}}, {{timeline.get(), i + 1}}, buffer, i, Queue(i % 4)),
                HAL_STATUS_OK);
    }
    ASSERT_EQ(Wait(timeline, 8), HAL_STATUS_OK) << hal_last_error_message();
  }
}

TEST_P(StreamDeviceTest, LateSignalFailsTheSemaphore) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 5}}, buffer, 1, Queue(0)), HAL_STATUS_OK);
  ASSERT_EQ(Fill(device(), {{timeline.get(), 5}}, {{timeline.get(), 5}}, buffer, 1, Queue(1)), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 6), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_P(StreamDeviceTest, ThreadsShareTimelinesAndQueues) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kSteps = 300;
  const Ref<hal_semaphore_t> shared = MakeSemaphore(device());
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Ref<hal_semaphore_t> own = MakeSemaphore(device());
      const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
      for (uint32_t i = 0; i < kSteps; ++i) {
        const uint64_t turn = uint64_t{i} * kThreads + t;
        EXPECT_EQ(Fill(device(), {{own.get(), i}}, {{own.get(), i + 1}}, buffer, i, Queue((t + i) % 4)), HAL_STATUS_OK);
        EXPECT_EQ(Barrier(device(), {{shared.get(), turn}, {own.get(), i + 1}}, {{shared.get(), turn + 1}}),
                  HAL_STATUS_OK);
        if (i % 16 == 0) EXPECT_EQ(Wait(own, i + 1), HAL_STATUS_OK);
      }
      EXPECT_EQ(Wait(own, kSteps), HAL_STATUS_OK);
      EXPECT_EQ(First(buffer), kSteps - 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Wait(shared, uint64_t{kThreads} * kSteps), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_P(StreamDeviceTest, BrokenDeviceFailsEverythingAndCloses) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_semaphore_t> gate = MakeSemaphore(device());
  const Ref<hal_semaphore_t> held = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  world().paused = true;
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  ASSERT_EQ(Fill(device(), {{gate.get(), 1}}, {{held.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  std::thread waiter([&] { EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_DEVICE_LOST); });
  world().broken = true;
  waiter.join();
  EXPECT_EQ(Wait(held, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(hal_device_query_health(device().get()), HAL_STATUS_DEVICE_LOST);
  EXPECT_NE(Fill(device(), {}, {}, buffer, 1), HAL_STATUS_OK);
}

// No thread waits: a poll of the semaphore must still find the loss.
TEST_P(StreamDeviceTest, BrokenDeviceIsFoundByPolling) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  const Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64);
  world().paused = true;
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  world().broken = true;
  uint64_t value = 0;
  hal_status_t status = HAL_STATUS_OK;
  for (int i = 0; i < 5000 && status == HAL_STATUS_OK; ++i) {
    status = hal_semaphore_query(timeline.get(), &value);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(status, HAL_STATUS_DEVICE_LOST);
}

TEST_P(StreamDeviceTest, LostOnPurposeKeepsMemoryUntilTheDeviceIsDone) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(device());
  Ref<hal_buffer_t> buffer = MakeBuffer(device(), 64, /*mappable=*/false);
  const void* table = nullptr;
  ASSERT_EQ(hal_device_query_interface(device().get(), hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table),
            HAL_STATUS_OK);
  world().paused = true;
  ASSERT_EQ(Fill(device(), {}, {{timeline.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  const int before = world().allocations;
  buffer = {};
  ASSERT_EQ(static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(device().get(),
                                                                                    hal_string_view("for a test")),
            HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, 1), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(world().allocations, before);
  world().paused = false;
}

// A semaphore that a thread gets hears of the loss.
TEST_P(StreamDeviceTest, SemaphoresAreMadeWhileTheDeviceIsLost) {
  for (int round = 0; round < 20; ++round) {
    const MemoryDevice lost(std::string("completion=") + GetParam());
    ASSERT_EQ(lost.status, HAL_STATUS_OK) << hal_last_error_message();
    const void* table = nullptr;
    ASSERT_EQ(hal_device_query_interface(lost.device.get(), hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table),
              HAL_STATUS_OK);
    std::vector<std::thread> makers;
    for (int i = 0; i < 3; ++i) {
      makers.emplace_back([&] {
        Ref<hal_semaphore_t> last;
        hal_status_t status = HAL_STATUS_OK;
        while (status == HAL_STATUS_OK) {
          Ref<hal_semaphore_t> made;
          status = hal_semaphore_create(lost.device.get(), nullptr, made.out());
          if (status == HAL_STATUS_OK) last = made;
        }
        EXPECT_EQ(status, HAL_STATUS_DEVICE_LOST);
        if (last) EXPECT_EQ(Wait(last, 1), HAL_STATUS_DEVICE_LOST);
      });
    }
    EXPECT_EQ(static_cast<const hal_fault_injection_interface_t*>(table)->lose_device(lost.device.get(),
                                                                                      hal_string_view("for a test")),
              HAL_STATUS_OK);
    for (std::thread& maker : makers) maker.join();
  }
}

TEST_P(StreamDeviceTest, AllocationsOfTheQueueReuseMemoryInItsOrder) {
  const MemoryDevice small(std::string("memory=64MiB&completion=") + GetParam());
  ASSERT_EQ(small.status, HAL_STATUS_OK) << hal_last_error_message();
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(small.device);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Point at = {timeline.get(), 0};
  for (uint64_t i = 0; i < 20; ++i) {
    Ref<hal_buffer_t> buffer;
    Point next = {timeline.get(), at.value + 1};
    // Three quarters of all memory: two of them do not fit at once.
    ASSERT_EQ(hal_device_queue_alloca(small.device.get(),
                                      hal::SubmitParams(hal_semaphore_list(&at, 1), hal_semaphore_list(&next, 1)),
                                      &params, 48 << 20, buffer.out()),
              HAL_STATUS_OK);
    ASSERT_EQ(Barrier(small.device, {next}, {{timeline.get(), next.value + 1}}), HAL_STATUS_OK);
    const Point used = {timeline.get(), next.value + 1};
    at = {timeline.get(), used.value + 1};
    ASSERT_EQ(hal_device_queue_dealloca(small.device.get(),
                                        hal::SubmitParams(hal_semaphore_list(&used, 1), hal_semaphore_list(&at, 1)),
                                        buffer.get()),
              HAL_STATUS_OK);
  }
  EXPECT_EQ(Wait(timeline, at.value), HAL_STATUS_OK) << hal_last_error_message();
}

INSTANTIATE_TEST_SUITE_P(Completion, StreamDeviceTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

// Each native call in turn fails once: nothing hangs, nothing is leaked, and every waiting thread gets the status.
class StreamFaultTest : public testing::TestWithParam<std::tuple<const char*, hal_status_t>> {};

TEST_P(StreamFaultTest, EveryCallFailsOnce) {
  const auto& [completion, failure] = GetParam();
  for (uint64_t call = 1;; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    MemoryDevice memory(std::string("queues=2&completion=") + completion);
    ASSERT_EQ(memory.status, HAL_STATUS_OK);
    const std::shared_ptr<MemoryWorld> world = memory.world;
    const Ref<hal_buffer_t> source = MakeBuffer(memory.device, 64);
    const Ref<hal_buffer_t> target = MakeBuffer(memory.device, 64);
    const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory.device);
    world->Fail("", failure, call);
    hal_status_t status = Fill(memory.device, {}, {{timeline.get(), 1}}, source, 9, Queue(0));
    if (status == HAL_STATUS_OK) {
      status = Copy(memory.device, {{timeline.get(), 1}}, {{timeline.get(), 2}}, source, target, Queue(1));
    }
    if (status == HAL_STATUS_OK)
      status = Fill(memory.device, {{timeline.get(), 2}}, {{timeline.get(), 3}}, source, 1, Queue(0));
    if (status == HAL_STATUS_OK) status = Wait(timeline, 3);
    const bool failed = world->faults.Failures() != 0;
    EXPECT_NE(status, HAL_STATUS_DEADLINE_EXCEEDED);
    if (status == HAL_STATUS_OK) {
      EXPECT_EQ(First(target), 9u);
    }
    if (!failed) {
      EXPECT_EQ(status, HAL_STATUS_OK);
      break;
    }
    EXPECT_EQ(TakeReports(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Failures, StreamFaultTest,
                         testing::Combine(testing::Values("fast", "portable"),
                                          testing::Values(HAL_STATUS_RESOURCE_EXHAUSTED, HAL_STATUS_DEVICE_LOST)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + hal_status_name(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace halyard::stream
