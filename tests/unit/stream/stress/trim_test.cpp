// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hal_allocator_trim() and the operations of a device that have ended. Here, as this program counts allocations.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "allocations/counting_allocator.h"
#include "submission/submission_device.h"
#include "unit/stream/memory_device.h"

namespace halyard::stream {
namespace {

class TrimTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }
  hal_status_t Trim() { return hal_allocator_trim(hal_device_allocator(memory_.device.get())); }

  MemoryDevice memory_;
};

TEST_F(TrimTest, FreesWhatACrowdOfOperationsLeft) {
  constexpr uint64_t kCrowd = 1000;
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> gate = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory_.device);
  for (uint64_t i = 1; i <= kCrowd; ++i) {
    const Point wait = i == 1 ? Point{gate.get(), 1} : Point{timeline.get(), i - 1};
    ASSERT_EQ(Fill(memory_.device, {wait}, {{timeline.get(), i}}, buffer, 1), HAL_STATUS_OK);
  }
  const int64_t crowd = allocations::LiveLibraryAllocations();
  ASSERT_EQ(hal_semaphore_signal(gate.get(), 1), HAL_STATUS_OK);
  ASSERT_EQ(Wait(timeline, kCrowd), HAL_STATUS_OK);
  // The thread that signals the last one may still be putting it away.
  const int64_t most = crowd - static_cast<int64_t>(kCrowd) + 100;
  for (int i = 0; i < 5000 && allocations::LiveLibraryAllocations() > most; ++i) {
    ASSERT_EQ(Trim(), HAL_STATUS_OK) << hal_last_error_message();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LE(allocations::LiveLibraryAllocations(), most);
  ASSERT_EQ(Fill(memory_.device, {}, {{timeline.get(), kCrowd + 1}}, buffer, 1), HAL_STATUS_OK);
  EXPECT_EQ(Wait(timeline, kCrowd + 1), HAL_STATUS_OK);
}

// An operation that fails ends while a signal that it came after is still pending. That semaphore fails later.
TEST_F(TrimTest, SemaphoresForgetWhatIsFreed) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(memory_.device, 64);
  const Ref<hal_semaphore_t> pending = MakeSemaphore(memory_.device);
  const Ref<hal_semaphore_t> failing = MakeSemaphore(memory_.device);
  memory_.world->paused = true;
  ASSERT_EQ(Fill(memory_.device, {}, {{pending.get(), 1}}, buffer, 1), HAL_STATUS_OK);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Fill(memory_.device, {{pending.get(), 1}, {failing.get(), 1}}, {}, buffer, 1), HAL_STATUS_OK);
  }
  ASSERT_EQ(hal_semaphore_fail(failing.get(), HAL_STATUS_ABORTED, hal_string_view("enough")), HAL_STATUS_OK);
  EXPECT_EQ(Trim(), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(hal_semaphore_fail(pending.get(), HAL_STATUS_ABORTED, hal_string_view("enough")), HAL_STATUS_OK);
  memory_.world->paused = false;
}

// What was in use when the device was lost may be known to semaphores that have left its list.
TEST_F(TrimTest, LostDeviceKeepsItsOperations) {
  const Ref<hal_semaphore_t> timeline = MakeSemaphore(memory_.device);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Barrier(memory_.device, {{timeline.get(), 1}}, {}), HAL_STATUS_OK);
  static_cast<SubmissionDevice*>(memory_.device.get())->Lose("a test");
  EXPECT_EQ(Trim(), HAL_STATUS_DEVICE_LOST);
}

}  // namespace
}  // namespace halyard::stream
