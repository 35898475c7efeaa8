// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, the library allocates no host memory for a submission.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "allocations/counting_allocator.h"
#include "base/clock.h"
#include "halyard/cpp/submit.hpp"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kWindow = 32;  // submissions in flight at once

class StreamAllocationTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }

  /// Submits operations, each of which waits for the one before.
  template <class Submit>
  void SubmitChain(const Submit& submit, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i, ++step_) {
      const Points waits = {{timeline_.get(), step_}};
      const Points signals = {{timeline_.get(), step_ + 1}};
      ASSERT_EQ(submit(hal_semaphore_list(waits.data(), 1), hal_semaphore_list(signals.data(), 1),
                       hal_queue_mask_t{1} << (i % 4)),
                HAL_STATUS_OK)
          << hal_last_error_message();
    }
  }

  /// Until the device has released what was submitted, which may be some time after it is known to be done.
  void AwaitAll() {
    ASSERT_EQ(Wait(timeline_, step_), HAL_STATUS_OK) << hal_last_error_message();
    const Deadline deadline = DeadlineAfter(10'000'000'000);
    bool released = References() <= idle_references_;
    while (!released && !deadline.passed()) {
      std::this_thread::yield();
      released = References() <= idle_references_;  // except while a completion thread is at work
    }
    ASSERT_TRUE(released);
  }

  template <class Submit>
  void RunWindow(const Submit& submit) {
    SubmitChain(submit, kWindow);
    AwaitAll();
  }

  /// An operation that the paused device does not do.
  void HoldUp(uint32_t queue) {
    memory_.world->paused = true;
    ASSERT_EQ(Fill(memory_.device, {{timeline_.get(), step_}}, {{timeline_.get(), step_ + 1}}, target_, 1,
                   hal_queue_mask_t{1} << queue),
              HAL_STATUS_OK);
    ++step_;
  }

  /// Has more in flight at once than there will be later, and every completion thread sleep on an event.
  template <class Submit>
  void WarmUp(const Submit& submit) {
    HoldUp(0);
    SubmitChain(submit, 2 * kWindow);
    memory_.world->paused = false;
    AwaitAll();
    for (uint32_t queue = 0; queue < 4; ++queue) {
      HoldUp(queue);
      std::thread go_on([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        memory_.world->paused = false;
      });
      AwaitAll();
      go_on.join();
    }
  }

  template <class Submit>
  void ExpectNoAllocation(const Submit& submit) {
    idle_references_ = LeastReferences();
    WarmUp(submit);
    for (int i = 0; i < 20; ++i) RunWindow(submit);
    const uint64_t before = allocations::LibraryAllocations();
    for (int i = 0; i < 30; ++i) RunWindow(submit);
    EXPECT_EQ(allocations::LibraryAllocations() - before, 0u);
  }

  /// To the device: every operation in flight has one, and a completion thread that is at work.
  uint32_t References() { return std::atomic_ref(memory_.device.get()->object.ref_count).load(); }
  uint32_t LeastReferences() {
    uint32_t least = References();
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      least = std::min(least, References());
    }
    return least;
  }

  MemoryDevice memory_{std::string("completion=") + GetParam()};
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(memory_.device);
  Ref<hal_buffer_t> source_ = MakeBuffer(memory_.device, 256, /*mappable=*/false);
  Ref<hal_buffer_t> target_ = MakeBuffer(memory_.device, 256, /*mappable=*/false);
  uint64_t step_ = 0;
  uint32_t idle_references_ = 0;
};

TEST_P(StreamAllocationTest, Barrier) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_barrier(memory_.device.get(), hal::SubmitParams(waits, signals, queues));
  });
}

TEST_P(StreamAllocationTest, Fill) {
  const uint32_t pattern = 7;
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_fill(memory_.device.get(), hal::SubmitParams(waits, signals, queues),
                                 hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
  });
}

TEST_P(StreamAllocationTest, Copy) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_copy(memory_.device.get(), hal::SubmitParams(waits, signals, queues),
                                 hal_buffer_ref(source_.get(), 0, HAL_WHOLE_SIZE),
                                 hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE));
  });
}

TEST_P(StreamAllocationTest, Execute) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  const uint32_t pattern = 9;
  ASSERT_EQ(hal_command_buffer_create(memory_.device.get(), &params, commands.out()), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_fill(commands.get(), hal_slot_ref(0, 0, HAL_WHOLE_SIZE), &pattern, 4), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK);
  const hal_buffer_ref_t table = hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE);
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_execute(memory_.device.get(), hal::SubmitParams(waits, signals, queues), commands.get(),
                                    hal_buffer_ref_list(&table, 1));
  });
}

TEST_P(StreamAllocationTest, HostCall) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_host_call(
        memory_.device.get(), hal::SubmitParams(waits, signals, queues),
        [](void*, hal_status_t status) { return status; }, nullptr);
  });
}

INSTANTIATE_TEST_SUITE_P(Completion, StreamAllocationTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });
INSTANTIATE_TEST_SUITE_P(CommandBuffer, StreamAllocationTest, testing::Values("fast&command_buffer=graph"),
                         [](const auto&) { return std::string("graph"); });

}  // namespace
}  // namespace halyard::stream
