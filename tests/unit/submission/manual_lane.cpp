// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/submission/manual_lane.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "submission/submission_action.h"
#include "submission/submission_queue.h"

namespace halyard {

void ManualLane::Drain() noexcept {
  std::unique_lock lock(state_mutex_);
  changed_.wait(lock, [&] { return Completed() >= newest_; });
}

Status ManualLane::Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) {
  const std::lock_guard lock(state_mutex_);
  *out_handed = std::exchange(next_handed_, Handed::kInFlight);
  const hal_status_t status = std::exchange(next_status_, HAL_STATUS_OK);
  if (*out_handed != Handed::kNothing) batches_.push_back({batch.size(), batch[0]->predecessors()});
  if (*out_handed == Handed::kInFlight) newest_ = epoch;
  if (completes_all_ && *out_handed == Handed::kInFlight) completed_.store(epoch);
  return status == HAL_STATUS_OK ? kOk : FailWith(status, "the lane fails");
}

bool ManualLane::Query(uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(state_mutex_);
    queried_by_.push_back(std::this_thread::get_id());
  }
  if (ended_.load() >= epoch) queue().RaiseCompleted(epoch);
  return queue().IsCompleted(epoch);
}

bool ManualLane::WasQueriedHere() {
  const std::lock_guard lock(state_mutex_);
  return std::erase(queried_by_, std::this_thread::get_id()) > 0;
}

bool ManualLane::IsEnding(uint64_t epoch) noexcept { return ending_.load() >= epoch; }

bool ManualLane::Sleep(uint64_t epoch) noexcept {
  std::unique_lock lock(state_mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return Completed() >= epoch; });
}

void ManualLane::Complete(uint64_t epoch) {
  {
    const std::lock_guard lock(state_mutex_);
    completed_.store(std::max(epoch, completed_.load()));
  }
  changed_.notify_all();
}

void ManualLane::FailNext(hal_status_t status, Handed handed) {
  const std::lock_guard lock(state_mutex_);
  next_status_ = status;
  next_handed_ = handed;
}

void ManualLane::CompleteAll() {
  {
    const std::lock_guard lock(state_mutex_);
    completes_all_ = true;
  }
  Complete(UINT64_MAX / 2);
}

std::vector<ManualLane::Batch> ManualLane::batches() {
  const std::lock_guard lock(state_mutex_);
  return batches_;
}

}  // namespace halyard
