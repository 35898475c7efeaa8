// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program submits, copied.
#ifndef HALYARD_TESTS_SIM_VULKAN_SUBMISSION_H_
#define HALYARD_TESTS_SIM_VULKAN_SUBMISSION_H_

#include <cstdint>
#include <vector>

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

struct Submission {
  VkSubmitFlags flags = 0;
  std::vector<VkSemaphoreSubmitInfo> waits;
  std::vector<VkCommandBufferSubmitInfo> commands;
  std::vector<VkSemaphoreSubmitInfo> signals;

  explicit Submission(const VkSubmitInfo2& info);
  /// From the older structure, with the values of timelines in its chain.
  explicit Submission(const VkSubmitInfo& info);

  /// Points into this object.
  VkSubmitInfo2 Info() const;
};

/// One call of vkQueueSubmit2().
struct Batch {
  std::vector<Submission> submissions;
  VkFence fence = VK_NULL_HANDLE;

  std::vector<VkSubmitInfo2> Infos() const;
  /// Whether its last submission signals a semaphore.
  bool Signals() const { return !submissions.empty() && !submissions.back().signals.empty(); }
  /// Whether every object still exists; reports those that do not.
  bool MayBeSubmitted(const char* call) const;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_SUBMISSION_H_
