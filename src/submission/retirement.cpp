// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/retirement.h"

#include <algorithm>

#include "stream/device/stream_action.h"
#include "stream/device/stream_queue.h"
#include "submission/test_points.h"

namespace halyard::stream {

void Retirement::Run() noexcept {
  uint32_t requests = requests_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (requests != 1) return;
  const SeparateDrain drain(&calls_);  // the rest comes when this thread keeps no other from the queues any more
  do {
    requests = requests_.load(std::memory_order_acquire);
    Pass();
    AtTestPoint();
  } while (requests_.fetch_sub(requests, std::memory_order_acq_rel) != requests);
}

void Retirement::Pass() noexcept {
  count_ = admitted_.load(std::memory_order_acquire);
  AtTestPoint(kRetirementPass);
  LookAtQueues();
  while (Progress* const next = FirstInOrder()) {
    StreamAction* const action = next->oldest.action;
    // Not before its submitter is done with it, or the last who tells how it ends; they come here afterwards.
    if (!action->may_end()) return;
    queues_[static_cast<size_t>(next - progress_.data())]->TakeOldest();
    action->Retired();
    LookAtOldest(next);
  }
}

Retirement::Progress* Retirement::FirstInOrder() noexcept {
  Progress* first = nullptr;
  for (Progress& progress : progress_) {
    if (!progress.oldest.action) continue;
    if (!first || progress.oldest.ticket < first->oldest.ticket) first = &progress;
  }
  return first;
}

void Retirement::LookAtQueues() noexcept {
  bool joins = false;
  for (size_t i = 0; i < count_; ++i) {
    progress_[i].seen = std::max(progress_[i].seen, queues_[i]->SeenEpoch());
    joins |= queues_[i]->HasJoinAfter(progress_[i].scanned);
  }
  while (joins) {
    joins = false;
    for (size_t i = 0; i < count_; ++i) joins |= queues_[i]->HasJoinAfter(progress_[i].scanned) && RaiseByJoins(i);
  }
  for (size_t i = 0; i < count_; ++i) LookAtOldest(&progress_[i]);
}

// Whether anything was raised, so that what that waited for is to be looked at.
bool Retirement::RaiseByJoins(size_t index) noexcept {
  Progress& progress = progress_[index];
  bool raised = false;
  const StreamAction* action = nullptr;
  for (uint64_t epoch = progress.scanned; queues_[index]->FindJoin(epoch, progress.seen, &epoch, &action);) {
    for (size_t other = 0; other < queues_.size(); ++other) {
      const uint64_t joined = action->After(other);
      if (other == index || joined <= progress_[other].seen) continue;
      progress_[other].seen = joined;
      count_ = std::max(count_, other + 1);  // it may have been admitted since the pass began
      queues_[other]->RaiseSeen(joined);
      raised = true;
    }
  }
  progress.scanned = progress.seen;
  return raised;
}

void Retirement::LookAtOldest(Progress* progress) noexcept {
  StreamQueue& queue = *queues_[static_cast<size_t>(progress - progress_.data())];
  if (queue.IsEnded(progress->seen) || !queue.FindOldest(progress->seen, &progress->oldest)) progress->oldest = {};
}

}  // namespace halyard::stream
