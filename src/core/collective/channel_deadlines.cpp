// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/channel_deadlines.h"

#include <algorithm>

#include "base/process_wide.h"
#include "core/collective/channel_group.h"
#include "driver_kit/object/vtable.h"

namespace halyard {

ChannelDeadlines::~ChannelDeadlines() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  bell_.Set();
  thread_.End();
}

Status ChannelDeadlines::Watch(const std::shared_ptr<ChannelGroup>& group) {
  return ProcessWide<ChannelDeadlines>::Get().Add(group);
}

void ChannelDeadlines::WakeBy(Deadline deadline) noexcept {
  if (auto* const self = ProcessWide<ChannelDeadlines>::Find()) self->Hasten(deadline);
}

Status ChannelDeadlines::Add(const std::shared_ptr<ChannelGroup>& group) {
  const std::lock_guard lock(mutex_);
  std::erase_if(groups_, [](const auto& each) { return each.expired(); });
  groups_.push_back(group);
  if (runs_) return kOk;
  const Status status = thread_.Start("hal-channels", "a thread for the time-outs of channels", [this] { Work(); });
  runs_ = status == kOk;
  return status;
}

void ChannelDeadlines::Hasten(Deadline deadline) noexcept {
  if (next_.load(std::memory_order_relaxed) <= deadline.nanoseconds) return;
  {
    const std::lock_guard lock(mutex_);
    next_.store(std::min(next_.load(std::memory_order_relaxed), deadline.nanoseconds), std::memory_order_relaxed);
  }
  bell_.Set();
}

void ChannelDeadlines::Work() noexcept {
  for (;;) {
    {
      const LibraryThread::Rest rest;
      bell_.Wait({next_.load(std::memory_order_relaxed)});
    }
    {
      const std::lock_guard lock(mutex_);
      if (stops_) return;
      bell_.Reset();
      // What comes from here on rings again; what came before is seen below.
      next_.store(Deadline::kNever, std::memory_order_relaxed);
    }
    const Deadline next = LookAtAll();
    const std::lock_guard lock(mutex_);
    next_.store(std::min(next_.load(std::memory_order_relaxed), next.nanoseconds), std::memory_order_relaxed);
  }
}

// Groups are looked at without the lock: their failure calls drivers.
Deadline ChannelDeadlines::LookAtAll() noexcept {
  Deadline next;
  for (size_t i = 0;; ++i) {
    std::shared_ptr<ChannelGroup> group;
    {
      const std::lock_guard lock(mutex_);
      if (i >= groups_.size()) return next;
      group = groups_[i].lock();
    }
    if (group) next.nanoseconds = std::min(next.nanoseconds, group->FailLate().nanoseconds);
  }
}

}  // namespace halyard
