// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lost device: what it answers, and when it tells.
#ifndef HALYARD_TESTS_SIM_VULKAN_LOSS_H_
#define HALYARD_TESTS_SIM_VULKAN_LOSS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

enum class LossKind { kNone, kTold, kLate, kSilent, kWild };

/// Protected by the device's lock.
struct Loss {
  LossKind kind = LossKind::kNone;
  bool found = false;        // a call has told
  bool is_stopping = false;  // real work goes on, so nothing tells
  unsigned submissions = 0;
  std::map<VkSemaphore, uint64_t> counters;  // where timelines stand permanently
  std::set<VkFence> fences;                  // that are never signalled

  bool IsLost() const { return kind != LossKind::kNone; }
  bool WaitsTell() const { return kind == LossKind::kTold || (kind == LossKind::kLate && found); }
  /// Whether this submission tells.
  bool SubmissionTells();
};

/// What follows from a call that answers VK_ERROR_DEVICE_LOST by plan, by the call's first argument: programs destroy
/// everything then, so real work has to end.
void LoseAfterCall(VkDevice device);
void LoseAfterCall(VkQueue queue);
void LoseAfterCall(VkCommandBuffer commands);
template <typename Other>
void LoseAfterCall(Other) {}

/// Counts a submission to a physical device; how the device is lost, if halyardSimLoseDevice() chose this one.
std::optional<LossKind> PlannedLoss(uint32_t device);
void ForgetPlannedLosses();

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_LOSS_H_
