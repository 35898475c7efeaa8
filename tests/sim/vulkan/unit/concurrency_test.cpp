// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread for each queue, as a driver has them, and a thread that waits: for ThreadSanitizer.
#include <array>
#include <atomic>
#include <thread>

#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class ConcurrencyTest : public VulkanSimTest {
 protected:
  static constexpr size_t kQueues = 4;

  void SetUp() override {
    VulkanSimTest::SetUp();
    Set("HALYARD_SIM_VULKAN_QUEUES", "4");
    Open();
    buffer_ = MakeBuffer();
    for (VkSemaphore& timeline : timelines_) timeline = MakeTimeline();
    sim_.SetDelay(20);
  }
  void TearDown() override {
    sim_.SetDelay(0);
    VulkanSimTest::TearDown();
  }

  /// Submits to a queue until a call fails or `last` was submitted. Each submission waits for the last one of the next
  /// queue.
  VkResult SubmitTo(size_t queue, VkCommandBuffer commands, uint64_t last) {
    const size_t next = (queue + 1) % kQueues;
    for (uint64_t value = 1; value <= last; ++value) {
      const Point wait = {timelines_[next], submitted_[next].load()};
      const VkResult result = Submit(device_.queues[queue], {commands}, {wait}, {{timelines_[queue], value}});
      if (result != VK_SUCCESS) return result;
      submitted_[queue] = value;
      // A command buffer is not submitted again before it is done.
      while (Wait({timelines_[queue], value}, 100'000'000) == VK_TIMEOUT && !stops_) {
      }
      if (stops_ && Wait({timelines_[queue], value}, 0) != VK_SUCCESS) return VK_ERROR_DEVICE_LOST;
    }
    return VK_SUCCESS;
  }

  Buffer buffer_;
  std::array<VkSemaphore, kQueues> timelines_ = {};
  std::array<std::atomic<uint64_t>, kQueues> submitted_ = {};
  std::atomic<bool> stops_ = false;  // nothing ends any more
};

TEST_F(ConcurrencyTest, QueuesWaitForEachOther) {
  constexpr uint64_t kLast = 20;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kQueues; ++i) {
    threads.emplace_back([this, i, commands = RecordFill(buffer_, static_cast<uint32_t>(i))] {
      EXPECT_VK(SubmitTo(i, commands, kLast));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (VkSemaphore timeline : timelines_) EXPECT_EQ(Value(timeline), kLast);
  EXPECT_VK(vk_.DeviceWaitIdle(device_.handle));
}

TEST_F(ConcurrencyTest, ALossAmidWorkStopsAllQueues) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kQueues; ++i) {
    threads.emplace_back([this, i, commands = RecordFill(buffer_, static_cast<uint32_t>(i))] {
      EXPECT_EQ(SubmitTo(i, commands, UINT64_MAX), VK_ERROR_DEVICE_LOST);
    });
  }
  while (submitted_[0] < 5) std::this_thread::yield();
  EXPECT_EQ(sim_.LoseVulkan(0, HALYARD_SIM_LOSS_SILENT), 1U);
  stops_ = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
}

TEST_F(ConcurrencyTest, ThreadsRecordInPoolsOfTheirOwn) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kQueues; ++i) {
    VkCommandPool pool = MakePool();
    threads.emplace_back([this, i, pool] {
      for (uint64_t value = 1; value <= 5; ++value) {
        VkCommandBuffer commands = MakeCommands(pool);
        Record(commands, [&](VkCommandBuffer) { vk_.CmdFillBuffer(commands, buffer_.handle, 4 * i, 4, 1); });
        ASSERT_VK(Submit(device_.queues[i], {commands}, {}, {{timelines_[i], value}}));
        ASSERT_VK(Wait({timelines_[i], value}));
        vk_.FreeCommandBuffers(device_.handle, pool, 1, &commands);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_VK(vk_.DeviceWaitIdle(device_.handle));
}

}  // namespace
}  // namespace halyard::vulkan_sim
