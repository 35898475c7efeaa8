// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that are destroyed or changed while submitted work needs them. The work is of a device that was lost
// silently: it stays pending, and the real library never gets it.
#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class InUseTest : public VulkanSimTest {
 protected:
  void SetUp() override {
    VulkanSimTest::SetUp();
    Open();
    buffer_ = MakeBuffer();
    pool_ = MakePool();
    commands_ = MakeCommands(pool_);
    layout_ = MakeSetLayout();
    sets_ = MakeDescriptorPool();
    set_ = MakeSet(sets_, layout_);
    timeline_ = MakeTimeline();
    fence_ = MakeFence();
  }

  void SubmitForever() {
    ASSERT_EQ(sim_.LoseVulkan(0, HALYARD_SIM_LOSS_SILENT), 1U);
    ASSERT_VK(Submit(device_.queues[0], {commands_}, {}, {{timeline_, 1}}, fence_));
  }
  void SubmitFill() {
    Record(commands_, [&](VkCommandBuffer) { vk_.CmdFillBuffer(commands_, buffer_.handle, 0, 4, 0); });
    SubmitForever();
  }
  void SubmitSet() {
    WriteSet(set_, buffer_.handle);
    Record(commands_, [&](VkCommandBuffer) {
      vk_.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, MakePipelineLayout(layout_), 0, 1, &set_, 0,
                                nullptr);
    });
    SubmitForever();
  }
  /// From then on nothing is in use.
  void End() { ASSERT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST); }

  Buffer buffer_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool sets_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

TEST_F(InUseTest, CommandBuffersAndTheirPool) {
  SubmitFill();
  EXPECT_VK(vk_.ResetCommandPool(device_.handle, pool_, 0));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  EXPECT_VK(vk_.ResetCommandBuffer(commands_, 0));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  Record(commands_, [](VkCommandBuffer) {});
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  vk_.FreeCommandBuffers(device_.handle, pool_, 1, &commands_);
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  End();
  EXPECT_VK(vk_.ResetCommandPool(device_.handle, pool_, 0));
}

TEST_F(InUseTest, BuffersAndTheirMemory) {
  SubmitFill();
  CleanUp();
  EXPECT_THAT(Report(), testing::HasSubstr("destroy-in-use: vkDestroyFence with VkFence"));
  EXPECT_THAT(Report(), testing::HasSubstr("destroy-in-use: vkDestroySemaphore with VkSemaphore"));
  EXPECT_THAT(Report(), testing::HasSubstr("destroy-in-use: vkDestroyCommandPool with VkCommandPool"));
  EXPECT_THAT(Report(), testing::Not(testing::HasSubstr("VkDescriptorPool")));
  sim_.Reset();
}

TEST_F(InUseTest, MemoryAlone) {
  SubmitFill();
  vk_.FreeMemory(device_.handle, buffer_.memory, nullptr);
  EXPECT_THAT(Report(), testing::HasSubstr("destroy-in-use: vkFreeMemory with VkDeviceMemory"));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  End();
  CleanUp();
  EXPECT_EQ(TakeReports("invalid-handle"), 1U) << "freed twice";
}

TEST_F(InUseTest, SetsAndWhatTheyHold) {
  SubmitSet();
  WriteSet(set_, buffer_.handle);
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  EXPECT_VK(vk_.ResetDescriptorPool(device_.handle, sets_, 0));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  End();
  WriteSet(MakeSet(sets_, layout_), buffer_.handle);
}

TEST_F(InUseTest, BuffersOfSets) {
  SubmitSet();
  vk_.FreeMemory(device_.handle, buffer_.memory, nullptr);
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  End();
  CleanUp();
  EXPECT_EQ(TakeReports("invalid-handle"), 1U) << "freed twice";
}

TEST_F(InUseTest, Fences) {
  SubmitFill();
  EXPECT_VK(vk_.ResetFences(device_.handle, 1, &fence_));
  EXPECT_EQ(TakeReports("destroy-in-use"), 1U);
  End();
}

TEST_F(InUseTest, NothingOnceTheTimelineSaysSo) {
  Record(commands_, [&](VkCommandBuffer) { vk_.CmdFillBuffer(commands_, buffer_.handle, 0, 4, 0); });
  ASSERT_VK(Submit(device_.queues[0], {commands_}, {}, {{timeline_, 1}}, fence_));
  ASSERT_VK(Wait({timeline_, 1}));
  EXPECT_VK(vk_.ResetCommandPool(device_.handle, pool_, 0));
  ASSERT_VK(vk_.WaitForFences(device_.handle, 1, &fence_, VK_TRUE, 1'000'000'000));
}

}  // namespace
}  // namespace halyard::vulkan_sim
