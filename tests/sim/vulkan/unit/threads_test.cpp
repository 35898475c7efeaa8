// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads in what Vulkan wants synchronised.
#include <thread>

#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class ThreadsTest : public VulkanSimTest {
 protected:
  void SetUp() override {
    VulkanSimTest::SetUp();
    Open();
  }

  /// Has another thread do something in the middle of this thread's next call of a function.
  void During(const char* call, std::function<void()> work) {
    Inside(call, [work = std::move(work)] { std::thread(work).join(); });
  }
};

TEST_F(ThreadsTest, TwoInAQueue) {
  During("vkQueueSubmit2", [&] { EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0])); });
  EXPECT_VK(Submit(device_.queues[0], {}, {}, {}));
  EXPECT_THAT(Report(), testing::StartsWith("external-sync: vkQueueWaitIdle and vkQueueSubmit2 on two threads"));
  EXPECT_EQ(TakeReports("external-sync"), 1U);
  During("vkQueueSubmit2", [&] { EXPECT_VK(vk_.DeviceWaitIdle(device_.handle)); });
  EXPECT_VK(Submit(device_.queues[0], {}, {}, {}));
  EXPECT_EQ(TakeReports("external-sync"), 1U);
  EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0]));
}

TEST_F(ThreadsTest, InDifferentQueues) {
  CleanUp();
  Set("HALYARD_SIM_VULKAN_QUEUES", "2");
  Open();
  During("vkQueueSubmit2", [&] { EXPECT_VK(vk_.QueueWaitIdle(device_.queues[1])); });
  EXPECT_VK(Submit(device_.queues[0], {}, {}, {}));
  EXPECT_EQ(Report(), "");
  EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0]));
}

TEST_F(ThreadsTest, OneAfterTheOther) {
  for (int i = 0; i < 2; ++i) {
    std::thread([&] { EXPECT_VK(Submit(device_.queues[0], {}, {}, {})); }).join();
  }
  EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0]));
}

TEST_F(ThreadsTest, AreSeenOnceTheyOverlap) {
  sim_.SetDelay(200);
  std::thread other([&] {
    while (sim_.Reports("external-sync") == 0) EXPECT_VK(Submit(device_.queues[0], {}, {}, {}));
  });
  while (sim_.Reports("external-sync") == 0) EXPECT_VK(Submit(device_.queues[0], {}, {}, {}));
  other.join();
  sim_.SetDelay(0);
  sim_.Reset();
  EXPECT_VK(vk_.QueueWaitIdle(device_.queues[0]));
}

TEST_F(ThreadsTest, TwoInCommandBuffersOfAPool) {
  VkCommandPool pool = MakePool();
  VkCommandBuffer first = MakeCommands(pool);
  VkCommandBuffer second = MakeCommands(pool);
  const Buffer buffer = MakeBuffer();
  Record(second, [&](VkCommandBuffer) {
    During("vkCmdFillBuffer", [&] { Record(first, [](VkCommandBuffer) {}); });
    vk_.CmdFillBuffer(second, buffer.handle, 0, 4, 0);
  });
  EXPECT_THAT(Report(),
              testing::HasSubstr("vkBeginCommandBuffer and vkCmdFillBuffer on two threads with VkCommandPool"));
  EXPECT_EQ(TakeReports("external-sync"), 2U) << "begin and end";
  During("vkResetCommandPool", [&] { MakeCommands(pool); });
  EXPECT_VK(vk_.ResetCommandPool(device_.handle, pool, 0));
  EXPECT_EQ(TakeReports("external-sync"), 1U);
}

TEST_F(ThreadsTest, TwoInDescriptors) {
  const VkDescriptorSetLayout layout = MakeSetLayout();
  VkDescriptorPool pool = MakeDescriptorPool();
  During("vkAllocateDescriptorSets", [&] { MakeSet(pool, layout); });
  VkDescriptorSet set = MakeSet(pool, layout);
  EXPECT_EQ(TakeReports("external-sync"), 1U);
  const Buffer buffer = MakeBuffer();
  During("vkUpdateDescriptorSets", [&] { WriteSet(set, buffer.handle); });
  WriteSet(set, buffer.handle);
  EXPECT_EQ(TakeReports("external-sync"), 1U);
}

TEST_F(ThreadsTest, TwoInMemory) {
  const Buffer buffer = MakeBuffer();
  During("vkUnmapMemory", [&] {
    void* data = nullptr;
    vk_.UnmapMemory(device_.handle, buffer.memory);
    EXPECT_VK(vk_.MapMemory(device_.handle, buffer.memory, 0, VK_WHOLE_SIZE, 0, &data));
  });
  vk_.UnmapMemory(device_.handle, buffer.memory);
  EXPECT_EQ(TakeReports("external-sync"), 2U);
}

TEST_F(ThreadsTest, TwoWithAFence) {
  const VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_VK(vk_.CreateFence(device_.handle, &info, nullptr, &fence));
  During("vkDestroyFence", [&] { EXPECT_VK(vk_.ResetFences(device_.handle, 1, &fence)); });
  vk_.DestroyFence(device_.handle, fence, nullptr);
  EXPECT_EQ(TakeReports("external-sync"), 1U);
}

}  // namespace
}  // namespace halyard::vulkan_sim
