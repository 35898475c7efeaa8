// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/submission/batch_lane.h"

#include <bit>
#include <chrono>

#include "submission/submission_queue.h"
#include "unit/submission/batch_device.h"

namespace halyard {

BatchLane::~BatchLane() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status BatchLane::Open() {
  if (!thread_.joinable()) thread_ = std::thread([this] { WorkOff(); });
  return kOk;
}

void BatchLane::Drain() noexcept { AwaitCompleted(newest_); }

Status BatchLane::Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  Submission submission{epoch, {}, {}};
  for (SubmissionAction* const action : batch) submission.actions.push_back(static_cast<BatchAction*>(action));
  for (uint64_t queues = batch[0]->predecessors(); queues != 0; queues &= queues - 1) {
    const auto index = static_cast<size_t>(std::countr_zero(queues));
    if (index == queue().index()) continue;
    auto& other = static_cast<BatchLane&>(queue().device().queue(index).lane());
    submission.waits.push_back({&other, batch[0]->After(index)});
  }
  {
    const std::lock_guard lock(mutex_);
    submissions_.push_back(std::move(submission));
    newest_ = epoch;
  }
  changed_.notify_all();
  *out_handed = Handed::kInFlight;
  return kOk;
}

bool BatchLane::Sleep(uint64_t epoch) noexcept {
  const uint64_t known = queue().CompletedEpoch();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return Completed() > known || Completed() >= epoch; });
  return Completed() > known;
}

void BatchLane::AwaitCompleted(uint64_t epoch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return Completed() >= epoch; });
}

void BatchLane::WorkOff() {
  while (true) {
    Submission next;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || !submissions_.empty(); });
      if (submissions_.empty()) return;
      next = std::move(submissions_.front());
      submissions_.pop_front();
    }
    RunSubmission(next);
  }
}

void BatchLane::RunSubmission(const Submission& submission) {
  for (const Wait& wait : submission.waits) wait.lane->AwaitCompleted(wait.epoch);
  for (BatchAction* const action : submission.actions) action->Execute();
  {
    const std::lock_guard lock(mutex_);
    counter_.store(submission.epoch, std::memory_order_seq_cst);  // the actions may be gone from here on
  }
  changed_.notify_all();
}

}  // namespace halyard
