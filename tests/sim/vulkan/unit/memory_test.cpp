// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is not coherent: only flushes and invalidations move bytes.
#include "vulkan_sim_test.h"

namespace halyard::vulkan_sim {
namespace {

class MemoryTest : public VulkanSimTest {
 protected:
  void SetUp() override {
    VulkanSimTest::SetUp();
    Set("HALYARD_SIM_VULKAN_HIDE", "HOST_COHERENT");
    Set("HALYARD_SIM_VULKAN_LIMITS", "nonCoherentAtomSize=256");
    Open();
    timeline_ = MakeTimeline();
  }

  VkMappedMemoryRange Range(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size) {
    return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, buffer.memory, offset, size};
  }
  VkResult Flush(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size) {
    const VkMappedMemoryRange range = Range(buffer, offset, size);
    return vk_.FlushMappedMemoryRanges(device_.handle, 1, &range);
  }
  void Invalidate(const Buffer& buffer, VkDeviceSize offset = 0, VkDeviceSize size = VK_WHOLE_SIZE) {
    const VkMappedMemoryRange range = Range(buffer, offset, size);
    EXPECT_VK(vk_.InvalidateMappedMemoryRanges(device_.handle, 1, &range));
  }
  void Run(VkCommandBuffer commands) {
    ASSERT_VK(Submit(device_.queues[0], {commands}, {}, {{timeline_, ++value_}}));
    ASSERT_VK(Wait({timeline_, value_}));
  }
  VkCommandBuffer RecordCopy(const Buffer& from, const Buffer& to) {
    VkCommandBuffer commands = MakeCommands(MakePool());
    Record(commands, [&](VkCommandBuffer) {
      const VkBufferCopy region = {0, 0, kSize};
      vk_.CmdCopyBuffer(commands, from.handle, to.handle, 1, &region);
    });
    return commands;
  }

 private:
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  uint64_t value_ = 0;
};

TEST_F(MemoryTest, ReadsAreOldWithoutInvalidation) {
  const Buffer buffer = MakeBuffer();
  Run(RecordFill(buffer, 7));
  EXPECT_EQ(buffer.words[0], 0U);
  Invalidate(buffer, 256, 512);
  EXPECT_EQ(buffer.words[63], 0U);
  EXPECT_EQ(buffer.words[64], 7U);
  EXPECT_EQ(buffer.words[191], 7U);
  EXPECT_EQ(buffer.words[192], 0U);
  Invalidate(buffer);
  EXPECT_EQ(buffer.words[0], 7U);
}

TEST_F(MemoryTest, WritesAreUnseenWithoutFlush) {
  const Buffer from = MakeBuffer();
  const Buffer to = MakeBuffer();
  Run(RecordFill(from, 1));
  for (uint32_t i = 0; i < kSize / 4; ++i) from.words[i] = 2;
  Run(RecordCopy(from, to));
  Invalidate(to);
  EXPECT_EQ(to.words[0], 1U);
  EXPECT_VK(Flush(from, 0, 256));
  Run(RecordCopy(from, to));
  Invalidate(to);
  EXPECT_EQ(to.words[0], 2U);
  EXPECT_EQ(to.words[64], 1U);
}

TEST_F(MemoryTest, ACopyOutlivesItsMapping) {
  const Buffer buffer = MakeBuffer();
  buffer.words[0] = 3;
  vk_.UnmapMemory(device_.handle, buffer.memory);
  void* data = nullptr;
  ASSERT_VK(vk_.MapMemory(device_.handle, buffer.memory, 512, 256, 0, &data));
  EXPECT_EQ(static_cast<uint32_t*>(data), buffer.words + 128);
  EXPECT_EQ(buffer.words[0], 3U);
}

TEST_F(MemoryTest, WrongRangesAreReported) {
  const Buffer buffer = MakeBuffer();
  EXPECT_EQ(Flush(buffer, 128, 256), VK_ERROR_UNKNOWN);
  EXPECT_EQ(TakeReports("mapped-range"), 1U) << "the offset is no multiple of the atom";
  EXPECT_EQ(Flush(buffer, 256, 128), VK_ERROR_UNKNOWN);
  EXPECT_EQ(TakeReports("mapped-range"), 1U) << "the size is no multiple of the atom";
  EXPECT_VK(Flush(buffer, kSize - 256, 256));
  EXPECT_VK(Flush(buffer, kSize - 256, VK_WHOLE_SIZE));
  vk_.UnmapMemory(device_.handle, buffer.memory);
  const VkMappedMemoryRange range = Range(buffer, 0, 256);
  EXPECT_EQ(vk_.InvalidateMappedMemoryRanges(device_.handle, 1, &range), VK_ERROR_UNKNOWN);
  EXPECT_EQ(TakeReports("mapped-range"), 1U) << "not mapped";
}

}  // namespace
}  // namespace halyard::vulkan_sim
