// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that watch timelines of the application, where calls fail.
#include <chrono>
#include <semaphore>
#include <thread>

#include "allocations/counting_allocator.h"
#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Device;
using cts::Semaphore;

class TimelineWatchTest : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  void Import(uint64_t value, const Semaphore& reached) const {
    ASSERT_OK(interop_.import_timeline(device_, Number(timeline_), value, cts::Points{{reached, 1}}));
  }
  void Set(uint64_t value) const {
    cts::Check(interop_.lock_queue(device_, 0), "lock_queue");
    native_.Submit(timeline_, value);
    cts::Check(interop_.unlock_queue(device_, 0), "unlock_queue");
  }

  /// A thread that sleeps at least a millisecond after each call makes no more calls than milliseconds pass. Devices of
  /// other tests may be about to end. A thread that never slept would make some thousands.
  void ExpectFewCalls(const char* function) const {
    const auto begin = std::chrono::steady_clock::now();
    const uint64_t before = simulation_.Calls(function);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const uint64_t calls = simulation_.Calls(function) - before;
    const auto passed = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    EXPECT_LE(calls, 10 * static_cast<uint64_t>(passed.count()));
  }

  const Simulation simulation_;
  const Device device_ = OpenVulkan();
  const hal_vulkan_interop_interface_t& interop_ = InteropOf(device_);
  NativeDevice native_{device_};
  const VkSemaphore timeline_ = native_.MakeTimeline();
};

TEST_F(TimelineWatchTest, SleepsBetweenWaitsThatFail) {
  const Semaphore reached = device_.CreateSemaphore();
  simulation_.FailCalls("vkWaitSemaphores", VK_ERROR_OUT_OF_HOST_MEMORY);
  Import(1, reached);
  ExpectFewCalls("vkWaitSemaphores");
  simulation_.FailCalls("vkWaitSemaphores", 0);
  Set(1);
  EXPECT_OK(reached.Wait(1));
}

TEST_F(TimelineWatchTest, SleepsBetweenReadsThatFail) {
  const Semaphore reached = device_.CreateSemaphore();
  Import(1, reached);
  simulation_.FailCalls("vkGetSemaphoreCounterValue", VK_ERROR_OUT_OF_HOST_MEMORY);
  Set(1);
  ExpectFewCalls("vkGetSemaphoreCounterValue");
  simulation_.FailCalls("vkGetSemaphoreCounterValue", 0);
  EXPECT_OK(reached.Wait(1));
}

// An allocation fails between one wait of the thread and the next, if it makes any.
TEST_F(TimelineWatchTest, KeepsItsPointsWithoutMemory) {
  static std::binary_semaphore has_looked(0);
  const Semaphore reached = device_.CreateSemaphore();
  const Semaphore later = device_.CreateSemaphore();
  uint64_t nth = 0;
  auto end = [] {
    allocations::FailAllocation(0);
    has_looked.release();
  };
  auto begin = [&] {
    simulation_.Inside("vkWaitSemaphores", end);
    allocations::FailAllocation(nth);
  };
  Import(2, later);
  Import(1, reached);
  for (nth = 1; nth <= 3; ++nth) {
    simulation_.Inside("vkWaitSemaphores", begin);
    has_looked.acquire();
  }
  Set(1);
  EXPECT_OK(reached.Wait(1));
  Set(2);
  EXPECT_OK(later.Wait(1));
}

}  // namespace
}  // namespace halyard::vulkan
