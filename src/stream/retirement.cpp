// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/retirement.h"

#include <algorithm>

#include "stream/stream_action.h"
#include "stream/stream_queue.h"

namespace halyard::stream {

void Retirement::Run() noexcept {
  uint32_t requests = requests_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (requests != 1) return;
  do {
    requests = requests_.load(std::memory_order_acquire);
    Pass();
  } while (requests_.fetch_sub(requests, std::memory_order_acq_rel) != requests);
}

void Retirement::Pass() noexcept {
  LookAtQueues();
  while (true) {
    const auto oldest = std::min_element(progress_.begin(), progress_.end(),
                                         [](const Progress& a, const Progress& b) { return a.ticket < b.ticket; });
    if (oldest == progress_.end() || oldest->ticket == kNone) return;
    const auto index = static_cast<size_t>(oldest - progress_.begin());
    uint64_t epoch = 0;
    InFlight front;
    queues_[index]->Front(&epoch, &front);
    // Not before its submitter is done with it, who comes here afterwards.
    if (!front.action->published()) return;
    queues_[index]->PopFront();
    front.event = {};
    front.action->Retired();
    LookAtFront(index);
  }
}

void Retirement::LookAtQueues() noexcept {
  for (size_t i = 0; i < queues_.size(); ++i) {
    progress_[i].seen = std::max(progress_[i].seen, queues_[i]->SeenEpoch());
  }
  for (bool raised = queues_.size() > 1; raised;) {
    raised = false;
    for (size_t i = 0; i < queues_.size(); ++i) raised |= RaiseByJoins(i);
  }
  for (size_t i = 0; i < queues_.size(); ++i) LookAtFront(i);
}

bool Retirement::RaiseByJoins(size_t index) noexcept {
  Progress& progress = progress_[index];
  bool raised = false;
  uint64_t epoch = 0;
  InFlight entry;
  if (!queues_[index]->Front(&epoch, &entry)) {
    progress.scanned = progress.seen;
    return false;
  }
  for (epoch = std::max(epoch, progress.scanned + 1); epoch <= progress.seen; ++epoch) {
    progress.scanned = epoch;
    entry = queues_[index]->At(epoch);
    if (!entry.joins) continue;
    for (size_t other = 0; other < queues_.size(); ++other) {
      const uint64_t joined = entry.action->After(other);
      if (other == index || joined <= progress_[other].seen) continue;
      progress_[other].seen = joined;
      raised = true;
    }
  }
  return raised;
}

void Retirement::LookAtFront(size_t index) noexcept {
  uint64_t epoch = 0;
  InFlight front;
  const bool done = queues_[index]->Front(&epoch, &front) && epoch <= progress_[index].seen;
  progress_[index].ticket = done ? front.ticket : kNone;
}

}  // namespace halyard::stream
