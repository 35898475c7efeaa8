// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/recording/vulkan_barriers.h"

namespace halyard::vulkan {
namespace {

struct Scope {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 writes = 0;
  VkAccessFlags2 accesses = 0;
};

Scope ScopeOf(WorkMask work) {
  Scope scope;
  if ((work & kTransferWork) != 0) {
    scope.stages |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    scope.writes |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
    scope.accesses |= VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
  }
  if ((work & kComputeWork) != 0) {
    scope.stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    scope.writes |= VK_ACCESS_2_SHADER_WRITE_BIT;
    scope.accesses |= VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT;
  }
  if ((work & kIndirectWork) != 0) {
    scope.stages |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    scope.accesses |= VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  }
  return scope;
}

}  // namespace

HostVector<WorkBarrier> PlanBarriers(std::span<const WorkNode> nodes) {
  HostVector<WorkBarrier> barriers(nodes.size());
  uint32_t covered = 0;  // nodes that a barrier has waited for
  WorkMask since = 0;    // work of those behind it
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].after > covered) {
      barriers[i].before = since;
      covered = i;
      since = 0;
    }
    since |= nodes[i].work;
  }
  WorkMask behind = 0;
  for (size_t i = nodes.size(); i-- > 0;) {
    behind |= nodes[i].work;
    if (barriers[i].before != 0) barriers[i].behind = behind;
  }
  return barriers;
}

void RecordBarrier(const DeviceFunctions& vk, VkCommandBuffer commands, const WorkBarrier& barrier) {
  if (barrier.before == 0) return;
  const Scope before = ScopeOf(barrier.before);
  const Scope behind = ScopeOf(barrier.behind);
  VkMemoryBarrier2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  memory.srcStageMask = before.stages;
  memory.srcAccessMask = before.writes;
  memory.dstStageMask = behind.stages;
  memory.dstAccessMask = behind.accesses;
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &memory;
  vk.CmdPipelineBarrier2(commands, &dependency);
}

}  // namespace halyard::vulkan
