// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several queues over one, and the order of submissions.
#include <thread>

#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class QueueTest : public VulkanSimTest {};

TEST_F(QueueTest, AFamilyHasAsManyAsTheSettingSays) {
  Set("HALYARD_SIM_VULKAN_QUEUES", "4");
  Open();
  ASSERT_EQ(device_.queues.size(), 4U);
  for (size_t i = 1; i < device_.queues.size(); ++i) {
    EXPECT_NE(device_.queues[i], VK_NULL_HANDLE);
    EXPECT_NE(device_.queues[i], device_.queues[i - 1]);
  }
}

TEST_F(QueueTest, OrderWorkByTimelines) {
  Set("HALYARD_SIM_VULKAN_QUEUES", "2");
  Open();
  const Buffer buffer = MakeBuffer();
  const VkSemaphore first = MakeTimeline();
  const VkSemaphore second = MakeTimeline();
  for (uint32_t i = 1; i <= 10; ++i) {
    ASSERT_VK(Submit(device_.queues[0], {RecordFill(buffer, 2 * i)}, {{second, i - 1}}, {{first, i}}));
    ASSERT_VK(Submit(device_.queues[1], {RecordFill(buffer, 2 * i + 1)}, {{first, i}}, {{second, i}}));
  }
  ASSERT_VK(Wait({second, 10}));
  EXPECT_EQ(buffer.words[0], 21U);
  EXPECT_EQ(Value(first), 10U);
}

TEST_F(QueueTest, AWaitBeforeItsSignalIsReportedAndStillRuns) {
  Set("HALYARD_SIM_VULKAN_QUEUES", "2");
  Open();
  const Buffer buffer = MakeBuffer();
  const VkSemaphore first = MakeTimeline();
  const VkSemaphore second = MakeTimeline();
  ASSERT_VK(Submit(device_.queues[0], {RecordFill(buffer, 2)}, {{first, 1}}, {{second, 1}}));
  EXPECT_EQ(TakeReports("wait-before-signal"), 1U);
  ASSERT_VK(Submit(device_.queues[0], {RecordFill(buffer, 3)}, {}, {{second, 2}}));
  EXPECT_EQ(Value(second), 0U);
  ASSERT_VK(Submit(device_.queues[1], {RecordFill(buffer, 1)}, {}, {{first, 1}}));
  ASSERT_VK(Wait({second, 2}));
  EXPECT_EQ(buffer.words[0], 3U);
}

TEST_F(QueueTest, AwaitIdleWaitsForHeldWork) {
  Set("HALYARD_SIM_VULKAN_QUEUES", "2");
  Open();
  const VkSemaphore first = MakeTimeline();
  const VkSemaphore second = MakeTimeline();
  ASSERT_VK(Submit(device_.queues[0], {}, {{first, 1}}, {{second, 1}}));
  EXPECT_EQ(TakeReports("wait-before-signal"), 1U);
  std::thread waiter([&] {
    EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0]));
    EXPECT_EQ(Value(second), 1U);
  });
  ASSERT_VK(Submit(device_.queues[1], {}, {}, {{first, 1}}));
  waiter.join();
}

TEST_F(QueueTest, AHostSignalIsReportedAndReleasesHeldWork) {
  Open();
  const VkSemaphore first = MakeTimeline();
  const VkSemaphore second = MakeTimeline();
  ASSERT_VK(Submit(device_.queues[0], {}, {{first, 1}}, {{second, 1}}));
  EXPECT_EQ(TakeReports("wait-before-signal"), 1U);
  const VkSemaphoreSignalInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, first, 1};
  ASSERT_VK(vk_.SignalSemaphore(device_.handle, &info));
  EXPECT_EQ(TakeReports("host-signal"), 1U);
  ASSERT_VK(Wait({second, 1}));
}

TEST_F(QueueTest, AValueThatDoesNotRiseIsReported) {
  Open();
  const VkSemaphore timeline = MakeTimeline(5);
  ASSERT_VK(Submit(device_.queues[0], {}, {}, {{timeline, 6}}));
  ASSERT_VK(vk_.QueueWaitIdle(device_.queues[0]));
  sim_.Fail("vkQueueSubmit2", 1, VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(Submit(device_.queues[0], {}, {}, {{timeline, 7}}), VK_ERROR_OUT_OF_HOST_MEMORY);
  ASSERT_VK(Submit(device_.queues[0], {}, {}, {{timeline, 7}})) << "what failed signals nothing";
  EXPECT_EQ(Report(), "");
  // Not for the real library: undefined there.
  ASSERT_VK(vk_.QueueWaitIdle(device_.queues[0]));
  ASSERT_EQ(sim_.LoseVulkan(0, HALYARD_SIM_LOSS_SILENT), 1U);
  ASSERT_VK(Submit(device_.queues[0], {}, {}, {{timeline, 7}}));
  EXPECT_EQ(TakeReports("signal-value"), 1U);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
}

TEST_F(QueueTest, OlderSubmissionsAreTheSame) {
  Open();
  const Buffer buffer = MakeBuffer();
  const VkSemaphore timeline = MakeTimeline();
  const uint64_t values[] = {1, 2};
  const VkTimelineSemaphoreSubmitInfo signal = {
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 0, nullptr, 1, &values[0]};
  const VkTimelineSemaphoreSubmitInfo wait = {
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &values[0], 1, &values[1]};
  VkCommandBuffer commands = RecordFill(buffer, 9);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo infos[] = {
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, &signal, 0, nullptr, nullptr, 1, &commands, 1, &timeline},
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, &wait, 1, &timeline, &stage, 0, nullptr, 1, &timeline}};
  const VkFence fence = MakeFence();
  ASSERT_VK(vk_.QueueSubmit(device_.queues[0], 2, infos, fence));
  ASSERT_VK(vk_.WaitForFences(device_.handle, 1, &fence, VK_TRUE, 1'000'000'000));
  EXPECT_VK(Wait({timeline, 2})) << "lavapipe signals the fence before it";
  EXPECT_EQ(buffer.words[0], 9U);
}

TEST_F(QueueTest, UnboundedWaitsAreReported) {
  Open();
  const VkSemaphore timeline = MakeTimeline(1);
  EXPECT_VK(Wait({timeline, 1}, UINT64_MAX));
  EXPECT_EQ(TakeReports("unbounded-wait"), 1U);
  const VkFence fence = MakeFence();
  ASSERT_VK(Submit(device_.queues[0], {}, {}, {}, fence));
  EXPECT_VK(vk_.WaitForFences(device_.handle, 1, &fence, VK_TRUE, 1'000'000'001));
  EXPECT_EQ(TakeReports("unbounded-wait"), 1U);
}

}  // namespace
}  // namespace halyard::vulkan_sim
