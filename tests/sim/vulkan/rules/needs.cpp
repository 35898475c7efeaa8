// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/rules/needs.h"

#include <algorithm>

#include "vulkan/rules/everlasting.h"

namespace halyard::vulkan_sim {

Needs& Needs::The() { return Everlasting<Needs>(); }

void Needs::Set(const Handle& object, uint64_t place, const Handle& needed) {
  const std::lock_guard lock(mutex_);
  needs_[object][place] = needed;
}

void Needs::Forget(const Handle& object) {
  const std::lock_guard lock(mutex_);
  needs_.erase(object);
}

bool Needs::Reaches(const Handle& object, const Handle& needed) const {
  const std::lock_guard lock(mutex_);
  return ReachesLocked(object, needed);
}

// What is needed never leads back: buffers and pools need nothing that needs them.
bool Needs::ReachesLocked(const Handle& object, const Handle& needed) const {
  if (object == needed) return true;
  const auto found = needs_.find(object);
  return found != needs_.end() &&
         std::ranges::any_of(found->second, [&](const auto& entry) { return ReachesLocked(entry.second, needed); });
}

}  // namespace halyard::vulkan_sim
