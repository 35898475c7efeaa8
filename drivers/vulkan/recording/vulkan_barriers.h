// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which barriers a recording needs, as narrow as what it holds allows.
#ifndef HALYARD_VULKAN_RECORDING_VULKAN_BARRIERS_H_
#define HALYARD_VULKAN_RECORDING_VULKAN_BARRIERS_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "vulkan/native/vulkan_context.h"
#include "vulkan/native/vulkan_headers.h"

namespace halyard::vulkan {

/// What commands use the device for.
using WorkMask = uint32_t;
inline constexpr WorkMask kTransferWork = 1;
inline constexpr WorkMask kComputeWork = 2;
inline constexpr WorkMask kIndirectWork = 4;  ///< reads counts of workgroups

/// A command that runs something, or a label.
struct WorkNode {
  WorkMask work = 0;   ///< 0 for a label
  uint32_t after = 0;  ///< how many nodes before it must be complete: see CommandOrder
};

/// A barrier ahead of a node; none if `before` is empty.
struct WorkBarrier {
  WorkMask before = 0;
  WorkMask behind = 0;
};

/// Between the kernels that check counts of workgroups and the dispatches that read them.
inline constexpr WorkBarrier kAfterCountChecks{kComputeWork, kIndirectWork};

/// A barrier for each node. It waits for the work since the last barrier, and holds up all kinds of work that come
/// later, so that no earlier barrier has to be repeated.
HostVector<WorkBarrier> PlanBarriers(std::span<const WorkNode> nodes);

void RecordBarrier(const DeviceFunctions& vk, VkCommandBuffer commands, const WorkBarrier& barrier);

}  // namespace halyard::vulkan

#endif  // HALYARD_VULKAN_RECORDING_VULKAN_BARRIERS_H_
