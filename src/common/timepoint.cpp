// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/timepoint.h"

#include <algorithm>

namespace halyard {
namespace {

TimepointNode NewNode() {
  TimepointMap map;
  map.try_emplace(TimepointKey{0, 0});
  return map.extract(map.begin());
}

}  // namespace

TimepointPool& TimepointPool::Get() {
  static auto& pool = *new TimepointPool();  // NOLINT: leaked on purpose
  return pool;
}

TimepointNode TimepointPool::Acquire() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      TimepointNode node = std::move(free_.back());
      free_.pop_back();
      return node;
    }
  }
  return NewNode();
}

void TimepointPool::Recycle(TimepointNode* nodes, size_t count) noexcept {
  const std::lock_guard lock(mutex_);
  const size_t kept = std::min(count, kMaxFree - free_.size());
  try {
    free_.insert(free_.end(), std::move_iterator(nodes), std::move_iterator(nodes + kept));
  } catch (...) {  // no memory to remember them by: they are freed with the caller's array
    return;
  }
}

}  // namespace halyard
