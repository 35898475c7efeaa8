// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/retirement.h"

#include <algorithm>

#include "submission/submission_action.h"
#include "submission/submission_queue.h"
#include "submission/test_points.h"

namespace halyard {
namespace {

// The most passes that a thread makes in a row, nearly all of them for others.
constexpr int kMostPasses = 16;

}  // namespace

void Retirement::Run() noexcept {
  if (requests_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  const SeparateDrain drain(&calls_);  // the rest runs once this thread delays no queue any more
  for (int passes = 0; passes < kMostPasses; ++passes) {
    const uint32_t requests = requests_.load(std::memory_order_acquire);
    Pass();
    AtTestPoint();
    if (requests_.fetch_sub(requests, std::memory_order_acq_rel) == requests) return;
  }
  // What was requested since the last pass began is left to a completion thread, which comes here once more.
  requests_.exchange(0, std::memory_order_acq_rel);
  AtTestPoint();
  queues_.front()->OnProgress();
}

void Retirement::Pass() noexcept {
  count_ = admitted_.load(std::memory_order_acquire);
  AtTestPoint(kRetirementPass);
  LookAtQueues();
  while (Progress* const next = FirstInOrder()) {
    SubmissionAction* const action = next->oldest.action;
    // Not before its submitter has published it, and all is known that tells how it ends: those threads come here
    // later.
    if (!action->may_end()) return;
    // What is signalled before is ended before.
    const Before before = action->lacks_edge() ? action->LookBefore() : Before::kNothing;
    if (before == Before::kEnding) return;
    if (before == Before::kDone) {
      LookAtQueues();
      continue;
    }
    queues_[static_cast<size_t>(next - progress_.data())]->TakeOldest();
    action->Retired();
    LookAtOldest(next);
  }
}

Retirement::Progress* Retirement::FirstInOrder() noexcept {
  Progress* first = nullptr;
  for (Progress& progress : progress_) {
    if (!progress.oldest.action) continue;
    if (!first || progress.oldest.index < first->oldest.index) first = &progress;
  }
  return first;
}

void Retirement::LookAtQueues() noexcept {
  bool joins = false;
  for (size_t i = 0; i < count_; ++i) {
    progress_[i].completed = std::max(progress_[i].completed, queues_[i]->CompletedEpoch());
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
  const SubmissionAction* action = nullptr;
  for (uint64_t epoch = progress.scanned; queues_[index]->FindJoin(epoch, progress.completed, &epoch, &action);) {
    for (size_t other = 0; other < queues_.size(); ++other) {
      const uint64_t joined = action->After(other);
      if (other == index || joined <= progress_[other].completed) continue;
      progress_[other].completed = joined;
      count_ = std::max(count_, other + 1);  // it may have been admitted since the pass began
      queues_[other]->RaiseCompleted(joined);
      raised = true;
    }
  }
  progress.scanned = progress.completed;
  return raised;
}

void Retirement::LookAtOldest(Progress* progress) noexcept {
  SubmissionQueue& queue = *queues_[static_cast<size_t>(progress - progress_.data())];
  if (queue.IsEnded(progress->completed) || !queue.FindOldest(progress->completed, &progress->oldest))
    progress->oldest = {};
}

}  // namespace halyard
