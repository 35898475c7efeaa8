// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which barriers a recording gets: what they wait for, and what they hold up. A stage that no command uses costs time
// on GPUs, and an access that is left out may go unseen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "vulkan/recording/vulkan_barriers.h"

namespace halyard::vulkan {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr WorkMask kAllWork = kTransferWork | kComputeWork | kIndirectWork;

auto Barrier(WorkMask before, WorkMask behind) {
  return testing::AllOf(Field(&WorkBarrier::before, before), Field(&WorkBarrier::behind, behind));
}
const auto kNone = Barrier(0, 0);

TEST(BarrierPlanTest, CommandsWithoutOrderHaveNone) {
  EXPECT_THAT(PlanBarriers({}), IsEmpty());
  const std::vector<WorkNode> nodes = {{kComputeWork, 0}, {kTransferWork, 0}, {kComputeWork, 0}};
  EXPECT_THAT(PlanBarriers(nodes), ElementsAre(kNone, kNone, kNone));
}

TEST(BarrierPlanTest, KernelsAloneWaitForKernelsAlone) {
  const std::vector<WorkNode> nodes = {{kComputeWork, 0}, {kComputeWork, 1}, {kComputeWork, 2}};
  const auto kernels = Barrier(kComputeWork, kComputeWork);
  EXPECT_THAT(PlanBarriers(nodes), ElementsAre(kNone, kernels, kernels));
}

TEST(BarrierPlanTest, WaitForWorkSinceTheLastAndHoldUpAllThatComes) {
  const std::vector<WorkNode> nodes = {
      {kTransferWork, 0}, {kComputeWork, 1}, {kComputeWork, 1}, {kTransferWork, 3}, {kIndirectWork | kComputeWork, 4}};
  EXPECT_THAT(PlanBarriers(nodes),
              ElementsAre(kNone, Barrier(kTransferWork, kAllWork), kNone, Barrier(kComputeWork, kAllWork),
                          Barrier(kTransferWork, kComputeWork | kIndirectWork)));
}

TEST(BarrierPlanTest, OneThatWaitedServesLaterCommands) {
  const std::vector<WorkNode> nodes = {{kComputeWork, 0}, {kComputeWork, 0}, {kComputeWork, 2}, {kComputeWork, 1}};
  EXPECT_THAT(PlanBarriers(nodes), ElementsAre(kNone, kNone, Barrier(kComputeWork, kComputeWork), kNone));
}

TEST(BarrierPlanTest, LabelsAreNotWaitedFor) {
  const std::vector<WorkNode> nodes = {{0, 0}, {kComputeWork, 1}, {0, 2}, {kTransferWork, 3}};
  EXPECT_THAT(PlanBarriers(nodes), ElementsAre(kNone, kNone, Barrier(kComputeWork, kTransferWork), kNone));
}

// --- In Vulkan's terms ---

std::vector<VkMemoryBarrier2> g_recorded;

VKAPI_ATTR void VKAPI_CALL Record(VkCommandBuffer, const VkDependencyInfo* info) {
  EXPECT_EQ(info->bufferMemoryBarrierCount, 0u);
  EXPECT_EQ(info->imageMemoryBarrierCount, 0u);
  g_recorded.insert(g_recorded.end(), info->pMemoryBarriers, info->pMemoryBarriers + info->memoryBarrierCount);
}

std::vector<VkMemoryBarrier2> Recorded(const WorkBarrier& barrier) {
  DeviceFunctions vk;
  vk.CmdPipelineBarrier2 = Record;
  g_recorded.clear();
  RecordBarrier(vk, VK_NULL_HANDLE, barrier);
  return g_recorded;
}

TEST(BarrierRecordTest, NothingToWaitForIsNoBarrier) { EXPECT_THAT(Recorded({0, kAllWork}), IsEmpty()); }

TEST(BarrierRecordTest, KernelsNameNoOtherStage) {
  const std::vector<VkMemoryBarrier2> barriers = Recorded({kComputeWork, kComputeWork});
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].srcStageMask, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
  EXPECT_EQ(barriers[0].dstStageMask, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
  EXPECT_EQ(barriers[0].srcAccessMask, VK_ACCESS_2_SHADER_WRITE_BIT);
  EXPECT_EQ(barriers[0].dstAccessMask, VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT);
}

TEST(BarrierRecordTest, AllKindsOfWorkNameAllTheirAccesses) {
  const std::vector<VkMemoryBarrier2> barriers = Recorded({kTransferWork | kComputeWork, kAllWork});
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].srcStageMask, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
  EXPECT_EQ(barriers[0].srcAccessMask, VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_WRITE_BIT);
  EXPECT_EQ(barriers[0].dstStageMask, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
                                          VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT);
  EXPECT_EQ(barriers[0].dstAccessMask, VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
                                           VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT |
                                           VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

}  // namespace
}  // namespace halyard::vulkan
