// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/timepoint.h"

#include <algorithm>

#include "base/process_wide.h"

namespace halyard {
namespace {

TimepointNode NewNode() {
  TimepointMap map;
  map.try_emplace(TimepointKey{0, 0});
  return map.extract(map.begin());
}

}  // namespace

TimepointPool& TimepointPool::Get() { return ProcessWide<TimepointPool>::Get(); }

TimepointNode TimepointPool::Acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      TimepointNode node = std::move(free_.back());
      free_.pop_back();
      return node;
    }
    // Room for the new node to come back to, so that Recycle() takes no memory. Cheap: there is nothing to move.
    if (made_ >= free_.capacity() && made_ < kMaxFree) free_.reserve(std::max<size_t>(64, made_ * 2));
    ++made_;
  }
  return NewNode();
}

void TimepointPool::Recycle(TimepointNode* nodes, size_t count) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t kept = std::min(count, free_.capacity() - free_.size());
  free_.insert(free_.end(), std::move_iterator(nodes), std::move_iterator(nodes + kept));
  made_ -= count - kept;  // those are freed with the caller's array
}

}  // namespace halyard
