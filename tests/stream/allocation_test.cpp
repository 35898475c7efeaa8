// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Once warm, a submission takes no memory of the host: none is allocated by the library, whatever the native API does.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "allocations/counting_allocator.h"
#include "stream/memory_device.h"

namespace halyard::stream {
namespace {

constexpr uint64_t kWindow = 32;  // submissions in flight at once

class StreamAllocationTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, kOk) << hal_last_error_message(); }

  /// Submits a window of operations, each of which waits for the one before, and waits for the last.
  template <class Submit>
  void RunWindow(const Submit& submit) {
    for (uint64_t i = 0; i < kWindow; ++i, ++step_) {
      const Points waits = {{timeline_.get(), step_}};
      const Points signals = {{timeline_.get(), step_ + 1}};
      ASSERT_EQ(submit(hal_semaphore_list(waits.data(), 1), hal_semaphore_list(signals.data(), 1),
                       hal_queue_mask_t{1} << (i % 4)),
                kOk)
          << hal_last_error_message();
    }
    ASSERT_EQ(Wait(timeline_, step_), kOk) << hal_last_error_message();
  }

  /// As RunWindow(), with all of it in flight at once: more than there ever will be.
  template <class Submit>
  void WarmUp(const Submit& submit) {
    memory_.world->paused = true;
    ASSERT_EQ(Fill(memory_.device, {{timeline_.get(), step_}}, {{timeline_.get(), step_ + 1}}, target_, 1), kOk);
    ++step_;
    std::thread release([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      memory_.world->paused = false;
    });
    RunWindow(submit);
    release.join();
  }

  template <class Submit>
  void ExpectNoAllocation(const Submit& submit) {
    for (int i = 0; i < 8; ++i) WarmUp(submit);
    for (int i = 0; i < 20; ++i) RunWindow(submit);
    const uint64_t before = allocations::LibraryAllocations();
    for (int i = 0; i < 30; ++i) RunWindow(submit);
    EXPECT_EQ(allocations::LibraryAllocations() - before, 0u);
  }

  MemoryDevice memory_{std::string("completion=") + GetParam()};
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(memory_.device);
  Ref<hal_buffer_t> source_ = MakeBuffer(memory_.device, 256, /*mappable=*/false);
  Ref<hal_buffer_t> target_ = MakeBuffer(memory_.device, 256, /*mappable=*/false);
  uint64_t step_ = 0;
};

TEST_P(StreamAllocationTest, Barrier) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_barrier(memory_.device.get(), queues, waits, signals);
  });
}

TEST_P(StreamAllocationTest, Fill) {
  const uint32_t pattern = 7;
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_fill(memory_.device.get(), queues, waits, signals,
                                 hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
  });
}

TEST_P(StreamAllocationTest, Copy) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_copy(memory_.device.get(), queues, waits, signals,
                                 hal_buffer_ref(source_.get(), 0, HAL_WHOLE_SIZE),
                                 hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE));
  });
}

TEST_P(StreamAllocationTest, Execute) {
  hal_command_buffer_params_t params = HAL_COMMAND_BUFFER_PARAMS_INIT;
  params.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  const uint32_t pattern = 9;
  ASSERT_EQ(hal_command_buffer_create(memory_.device.get(), &params, commands.out()), kOk);
  ASSERT_EQ(hal_command_buffer_begin(commands.get()), kOk);
  ASSERT_EQ(hal_command_buffer_fill(commands.get(), hal_slot_ref(0, 0, HAL_WHOLE_SIZE), &pattern, 4), kOk);
  ASSERT_EQ(hal_command_buffer_end(commands.get()), kOk);
  const hal_buffer_ref_t table = hal_buffer_ref(target_.get(), 0, HAL_WHOLE_SIZE);
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_execute(memory_.device.get(), queues, waits, signals, commands.get(),
                                    hal_buffer_ref_list(&table, 1));
  });
}

TEST_P(StreamAllocationTest, HostCall) {
  ExpectNoAllocation([&](hal_semaphore_list_t waits, hal_semaphore_list_t signals, hal_queue_mask_t queues) {
    return hal_device_queue_host_call(
        memory_.device.get(), queues, waits, signals, [](void*, hal_status_t status) { return status; }, nullptr);
  });
}

INSTANTIATE_TEST_SUITE_P(Completion, StreamAllocationTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::stream
