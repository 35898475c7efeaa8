// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices are lost in three ways.
#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class LossTest : public VulkanSimTest {
 protected:
  void SetUp() override {
    VulkanSimTest::SetUp();
    Open();
    timeline_ = MakeTimeline();
  }

  VkResult SubmitNext() { return Submit(device_.queues[0], {}, {}, {{timeline_, ++value_}}); }
  VkResult Counter() {
    uint64_t value = 0;
    return vk_.GetSemaphoreCounterValue(device_.handle, timeline_, &value);
  }
  void Lose(int how) { ASSERT_EQ(sim_.LoseVulkan(0, how), 1U); }

  VkSemaphore timeline_ = VK_NULL_HANDLE;
  uint64_t value_ = 0;
};

TEST_F(LossTest, IsToldByEveryCallThatCan) {
  const VkFence fence = MakeFence();
  ASSERT_VK(SubmitNext());
  Lose(HALYARD_SIM_LOSS_TOLD);
  EXPECT_EQ(SubmitNext(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Counter(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Wait({timeline_, 1}), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk_.GetFenceStatus(device_.handle, fence), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk_.WaitForFences(device_.handle, 1, &fence, VK_TRUE, 1), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk_.QueueWaitIdle(device_.queues[0]), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
  MakeBuffer();  // objects can be made and destroyed
}

TEST_F(LossTest, IsToldLateByTheThirdSubmission) {
  ASSERT_VK(SubmitNext());
  ASSERT_VK(Wait({timeline_, 1}));
  const VkFence fence = MakeFence();
  Lose(HALYARD_SIM_LOSS_LATE);
  EXPECT_VK(SubmitNext());
  EXPECT_EQ(Wait({timeline_, 2}), VK_TIMEOUT);
  EXPECT_VK(Wait({timeline_, 1}));
  EXPECT_EQ(Value(timeline_), 1U);
  EXPECT_VK(Submit(device_.queues[0], {}, {}, {}, fence));
  EXPECT_EQ(vk_.GetFenceStatus(device_.handle, fence), VK_NOT_READY);
  EXPECT_EQ(vk_.WaitForFences(device_.handle, 1, &fence, VK_TRUE, 1000), VK_TIMEOUT);
  EXPECT_EQ(SubmitNext(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Counter(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Wait({timeline_, 1}), VK_ERROR_DEVICE_LOST);
}

TEST_F(LossTest, IsToldLateByAnIdleQueue) {
  Lose(HALYARD_SIM_LOSS_LATE);
  EXPECT_VK(SubmitNext());
  EXPECT_EQ(vk_.QueueWaitIdle(device_.queues[0]), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(SubmitNext(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Wait({timeline_, 1}), VK_ERROR_DEVICE_LOST);
}

TEST_F(LossTest, IsNeverToldByWaits) {
  Lose(HALYARD_SIM_LOSS_SILENT);
  for (int i = 0; i < 10; ++i) EXPECT_VK(SubmitNext());
  EXPECT_EQ(Wait({timeline_, 1}), VK_TIMEOUT);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Wait({timeline_, 1}), VK_TIMEOUT);
  EXPECT_EQ(Value(timeline_), 0U);
  EXPECT_EQ(SubmitNext(), VK_ERROR_DEVICE_LOST);
}

TEST_F(LossTest, StopsTheCounterAmidWork) {
  const Buffer buffer = MakeBuffer();
  const VkFence fence = MakeFence();
  VkCommandBuffer gate = RecordGate();
  VkCommandBuffer fill = RecordFill(buffer, 4);
  ASSERT_VK(SubmitNext());
  ASSERT_VK(Wait({timeline_, 1}));
  ASSERT_VK(Submit(device_.queues[0], {gate, fill}, {}, {{timeline_, ++value_}}, fence));
  // The loss waits for real work, which ends once the gate is open.
  Inside("halyardSimLoseVulkan", [&] { OpenGate(); });
  Lose(HALYARD_SIM_LOSS_SILENT);
  EXPECT_EQ(Value(timeline_), 1U);
  EXPECT_EQ(vk_.GetFenceStatus(device_.handle, fence), VK_NOT_READY);
  EXPECT_EQ(Wait({timeline_, 2}), VK_TIMEOUT);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
}

TEST_F(LossTest, ComesWithTheNthSubmission) {
  sim_.LoseDevice(0, 2, HALYARD_SIM_LOSS_SILENT);
  ASSERT_VK(SubmitNext());
  ASSERT_VK(Wait({timeline_, 1}));
  EXPECT_VK(SubmitNext());
  EXPECT_EQ(Wait({timeline_, 2}), VK_TIMEOUT);
  EXPECT_EQ(vk_.QueueWaitIdle(device_.queues[0]), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Value(timeline_), 1U);
}

TEST_F(LossTest, ComesWithAPlannedFailure) {
  VkCommandBuffer gate = RecordGate();
  ASSERT_VK(Submit(device_.queues[0], {gate}, {}, {{timeline_, 1}}));
  Inside("halyardSimLoseVulkan", [&] { OpenGate(); });
  sim_.Fail("vkGetSemaphoreCounterValue", 1, VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(Counter(), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(SubmitNext(), VK_ERROR_DEVICE_LOST);
}

TEST_F(LossTest, LeavesNewDevicesAlone) {
  Lose(HALYARD_SIM_LOSS_TOLD);
  EXPECT_EQ(vk_.DeviceWaitIdle(device_.handle), VK_ERROR_DEVICE_LOST);
  const OpenDevice next = MakeDevice();
  EXPECT_VK(vk_.DeviceWaitIdle(next.handle));
}

TEST_F(LossTest, IsOfOnePhysicalDevice) {
  CleanUp();
  Set("HALYARD_SIM_DEVICES", "2");
  MakeInstance();
  const OpenDevice first = MakeDevice(0);
  const OpenDevice second = MakeDevice(1);
  EXPECT_EQ(sim_.LoseVulkan(1, HALYARD_SIM_LOSS_TOLD), 1U);
  EXPECT_VK(vk_.DeviceWaitIdle(first.handle));
  EXPECT_EQ(vk_.DeviceWaitIdle(second.handle), VK_ERROR_DEVICE_LOST);
}

}  // namespace
}  // namespace halyard::vulkan_sim
