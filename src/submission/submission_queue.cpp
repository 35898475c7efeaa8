// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/submission_queue.h"

#include <array>
#include <utility>

#include "base/clock.h"
#include "base/prefetch.h"
#include "base/wait_policy.h"
#include "driver_kit/object/vtable.h"
#include "submission/submission_action.h"
#include "submission/submission_device.h"
#include "submission/test_points.h"

namespace halyard {
namespace {

// How often a submitter looks at what is completed, in submissions. What is retired there is still in this processor's
// cache, and few actions go round; leaving it all to the completion thread costs a third more a submission.
constexpr uint64_t kRetireStride = 8;
// The most actions that are handed over together, whatever the lane takes.
constexpr size_t kMaxBatch = 64;

}  // namespace

void Lane::OnProgress() noexcept { queue_->OnProgress(); }
void Lane::GiveUp(Status status) noexcept { queue_->device().LosePermanently(status); }

SubmissionQueue::SubmissionQueue(SubmissionDevice& device, uint32_t index, std::unique_ptr<Lane> lane)
    : device_(device), index_(index), lane_(std::move(lane)), max_batch_(std::min(lane_->max_batch(), kMaxBatch)) {
  lane_->queue_ = this;
}

Status SubmissionQueue::Open() {
  HAL_TRY(lane_->Open());
  ring_.resize(64);
  return thread_.Start(*this);
}

void SubmissionQueue::Close() noexcept {
  lane_->Drain();
  thread_.Stop();
}

Status SubmissionQueue::Submit(SubmissionAction& action) {
  if (max_batch_ > 1) {
    DrainScope::Gather(this, &action, &action.batch());
    return kOk;
  }
  SubmissionAction* const batch = &action;
  return SubmitBatch({&batch, 1});
}

Status SubmissionQueue::SubmitBatch(std::span<SubmissionAction* const> batch) {
  uint64_t epoch = 0;
  Status status = kOk;
  {
    const std::lock_guard lock(lane_->mutex());
    if (given_up_.load(std::memory_order_relaxed)) return device_.health().Check();
    epoch = issued_.load(std::memory_order_relaxed) + 1;
    // acquire: what retirement did with the slot is done.
    if (epoch - first_.load(std::memory_order_acquire) >= ring_.size()) GrowRing();
    Lane::Handed handed = Lane::Handed::kNothing;
    status = Guard([&] { return lane_->Submit(batch, epoch, &handed); });
    if (handed == Lane::Handed::kNothing) {
      return status != kOk ? status : FailWith(HAL_STATUS_INTERNAL, "the lane took nothing, and says that all is well");
    }
    Push(batch, epoch);
    if (handed == Lane::Handed::kDone) RaiseCompleted(epoch);
  }
  // Work whose end cannot be told is as bad as a device that is gone.
  if (status != kOk) device_.LosePermanently(status);
  thread_.Notice();
  AtTestPoint();
  for (SubmissionAction* const action : batch) action->Publish(*this, epoch);  // the action may be gone afterwards
  AtTestPoint();
  if (epoch % kRetireStride == 0 || IsCompleted(epoch)) device_.Retire();
  return kOk;
}

void SubmissionQueue::RunGathered(RunnableList collected) noexcept {
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&device_);  // the first action still holds it
  while (!collected.empty()) {
    std::array<SubmissionAction*, kMaxBatch> actions;
    size_t count = 0;
    while (count < max_batch_ && !collected.empty()) {
      actions[count++] = static_cast<SubmissionAction*>(collected.Pop());
    }
    const std::span<SubmissionAction* const> batch(actions.data(), count);
    for (SubmissionAction* const action : batch.subspan(1)) batch[0]->ComeAfterAll(*action);
    const Status status = device_.Checked(Guard([&] { return SubmitBatch(batch); }));
    if (status == kOk) continue;
    const Failure failure(status);
    for (SubmissionAction* const action : batch) {
      // An operation that has failed before keeps its own failure.
      action->SubmitFailed(action->fails() ? action->OwnFailure() : failure.Share());
    }
  }
}

bool SubmissionQueue::Follow(SubmissionAction& action, uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(ring_mutex_);
    if (epoch < first_.load(std::memory_order_relaxed)) return false;
    ring_[Wrap(epoch)].followers.Push(&action);
  }
  AtTestPoint();
  action.Publish(*this, epoch);  // the action may be gone afterwards
  AtTestPoint();
  if (IsCompleted(epoch)) device_.Retire();
  return true;
}

void SubmissionQueue::GrowRing() {
  HostVector<InFlight> larger(ring_.size() * 2);
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t epoch = first_.load(std::memory_order_relaxed); IsInRing(epoch); ++epoch) {
    larger[static_cast<size_t>(epoch) & (larger.size() - 1)] = ring_[Wrap(epoch)];
  }
  ring_.swap(larger);
}

void SubmissionQueue::Push(std::span<SubmissionAction* const> batch, uint64_t epoch) noexcept {
  InFlight& slot = ring_[Wrap(epoch)];
  // The indices rise along the queue, and what the actions depend on has its index already.
  slot.index = device_.NextSubmissionIndex();
  slot.action = batch[0];
  for (SubmissionAction* const action : batch.subspan(1)) slot.followers.Push(action);
  slot.notify_requested = false;
  slot.joins = (batch[0]->predecessors() & ~(uint64_t{1} << index_)) != 0;
  if (slot.joins) last_join_.store(epoch, std::memory_order_relaxed);
  issued_.store(epoch, std::memory_order_release);
}

void SubmissionQueue::RaiseCompleted(uint64_t epoch) noexcept {
  // seq_cst even where nothing is to be raised: a thread that looked at this first sees what was published before.
  uint64_t raised = raised_.load(std::memory_order_seq_cst);
  while (raised < epoch && !raised_.compare_exchange_weak(raised, epoch, std::memory_order_seq_cst)) {
  }
}

void SubmissionQueue::RequestNotification(uint64_t epoch) noexcept {
  {
    const std::lock_guard lock(ring_mutex_);
    if (!IsInRing(epoch)) return;
    ring_[Wrap(epoch)].notify_requested = true;
    first_request_ = std::min(first_request_, epoch);
  }
  AtTestPoint();
  thread_.Request();
  // The process ends: no completion thread will look.
  if (device_.gate().closed() && !device_.health().lost()) device_.LosePermanently(FailAtExit());
}

void SubmissionQueue::Abandon(bool is_dead) noexcept {
  (is_dead ? abandoned_ : given_up_).store(true, std::memory_order_seq_cst);
  thread_.Request();
}

// Perhaps the device still works. So what is in flight keeps its memory until the lane is drained.
void SubmissionQueue::DrainAbandoned() noexcept {
  { const std::lock_guard last_submission(lane_->mutex()); }
  lane_->Drain();
  abandoned_.store(true, std::memory_order_seq_cst);
}

bool SubmissionQueue::FindOldest(uint64_t completed, Oldest* out) noexcept {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t first = first_.load(std::memory_order_relaxed); first <= completed && IsInRing(first); ++first) {
    const InFlight& entry = ring_[Wrap(first)];
    Runnable* const next = first == taken_ ? entry.followers.head() : entry.action;
    if (next) {
      *out = {entry.index, static_cast<SubmissionAction*>(next)};
      return true;
    }
    first_.store(first + 1, std::memory_order_release);  // all of it is ended
  }
  return false;
}

void SubmissionQueue::TakeOldest() noexcept {
  const uint64_t first = first_.load(std::memory_order_relaxed);
  if (taken_ != first) {
    taken_ = first;
    return;
  }
  const std::lock_guard lock(ring_mutex_);
  ring_[Wrap(first)].followers.Pop();
}

bool SubmissionQueue::FindJoin(uint64_t epoch, uint64_t completed, uint64_t* out_epoch,
                               const SubmissionAction** out_action) const {
  const std::lock_guard lock(ring_mutex_);
  for (uint64_t e = std::max(epoch + 1, first_.load(std::memory_order_relaxed)); e <= completed && IsInRing(e); ++e) {
    const InFlight& entry = ring_[Wrap(e)];
    if (!entry.joins) continue;
    *out_epoch = e;
    *out_action = entry.action;
    return true;
  }
  return false;
}

bool SubmissionQueue::NextRequested(uint64_t after, uint64_t* epoch) {
  const std::lock_guard lock(ring_mutex_);
  uint64_t& e = first_request_;
  for (e = std::max({e, after + 1, first_.load(std::memory_order_relaxed)}); IsInRing(e); ++e) {
    if (!ring_[Wrap(e)].notify_requested) continue;
    *epoch = e;
    return true;
  }
  return false;
}

CompletionService::Rest SubmissionQueue::Serve() noexcept {
  const VendorGate::Scope scope(device_.gate());
  const Ref<hal_device_t> kept = scope.open() ? device_.TryRetain() : Ref<hal_device_t>();
  if (!kept) return Rest::kFinished;
  return ServeWith();  // the device may go with `kept`
}

// What is completed at the beginning is retired now, or by its submitter, who has yet to publish it. What else is
// requested is waited for, even if it is completed by now: perhaps no other thread has noticed
// (tests/models/retirement.pml).
CompletionService::Rest SubmissionQueue::ServeWith() noexcept {
  if (given_up_.load() && !abandoned_.load()) DrainAbandoned();
  const uint64_t completed = CompletedEpoch();
  AtTestPoint();
  device_.Retire();
  AtTestPoint();
  uint64_t epoch = 0;
  if (!lane_->reports_progress() && !abandoned_.load() && NextRequested(completed, &epoch)) {
    return AwaitRequested(epoch) ? Rest::kNone : Rest::kBrief;
  }
  if (first_.load(std::memory_order_acquire) > issued_.load(std::memory_order_acquire)) return Rest::kLong;
  CheckProgress();
  return Rest::kShort;
}

bool SubmissionQueue::AwaitRequested(uint64_t epoch) noexcept {
  const uint64_t until = MonotonicNanoseconds() + (polled_for_ == epoch ? 0 : kCompletionPolls);
  polled_for_ = epoch;
  bool completed = Poll(epoch);
  while (!completed && MonotonicNanoseconds() < until) {
    Relax();
    completed = Poll(epoch);
  }
  if (completed) return true;
  // What came before is retired now: perhaps no other thread looks before this one wakes again.
  if (epoch > 1 && Query(epoch - 1)) device_.Retire();
  return lane_->Sleep(epoch) || Query(epoch);
}

void SubmissionQueue::CheckProgress() noexcept {
  const uint64_t newest = issued_.load(std::memory_order_acquire);
  const uint64_t oldest = first_.load(std::memory_order_acquire);
  if (abandoned_.load() || oldest > newest || IsCompleted(newest)) return;
  if (Query(newest) || (!IsCompleted(oldest) && Query(oldest))) device_.Retire();
  if (!IsCompleted(newest)) lane_->Watch();
}

}  // namespace halyard
