// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/submission_action.h"

#include <algorithm>
#include <bit>

#include "base/clock.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/operation.h"
#include "driver_kit/queue/signal_end.h"
#include "submission/submission_device.h"
#include "submission/submission_queue.h"
#include "submission/submission_semaphore.h"
#include "submission/test_points.h"

namespace halyard {

SubmissionDevice& SubmissionAction::submission_device() const { return static_cast<SubmissionDevice&>(device()); }

Status SubmissionAction::Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept {
  SubmissionSemaphore* const known = submission_device().KnownSemaphore(point.semaphore);
  if (!known || !IsForDevice()) return OperationAction::Await(point, callback);
  return Guard([&] { return known->NotifyWhenResolvable(point.value, *this, callback); });
}

void SubmissionAction::ComeAfter(size_t queue, uint64_t epoch) noexcept {
  std::atomic<uint64_t>& after = after_[queue];
  uint64_t last = after.load(std::memory_order_relaxed);
  while (last < epoch && !after.compare_exchange_weak(last, epoch, std::memory_order_relaxed)) {
  }
  predecessors_.fetch_or(uint64_t{1} << queue, std::memory_order_relaxed);
}

void SubmissionAction::ComeAfterAll(const SubmissionAction& other) noexcept {
  for (uint64_t queues = other.predecessors(); queues != 0; queues &= queues - 1) {
    const auto queue = static_cast<size_t>(std::countr_zero(queues));
    ComeAfter(queue, other.After(queue));
  }
}

void SubmissionAction::Prepare() noexcept {
  for (uint64_t queues = predecessors(); queues != 0; queues &= queues - 1) {
    after_[static_cast<size_t>(std::countr_zero(queues))].store(0, std::memory_order_relaxed);
  }
  predecessors_.store(0, std::memory_order_relaxed);
  queue_ = nullptr;
  unknown_outcomes_.store(0, std::memory_order_relaxed);
  ForgetOutcome();
  is_retired_ = false;
  lacks_edge_ = false;
  start_ = 0;
  failure_ = {};
}

void SubmissionAction::OnReady() noexcept {
  if (only_fails() || IsForDevice()) {
    DrainScope::Defer(this);
    return;
  }
  SubmissionDevice& device = submission_device();
  Visit(type(), Overloaded{
                    [&](operations::HostCall) { device.host_calls().Enqueue(this); },
                    [&](operations::Io) { device.file_work().Enqueue(this); },
                    [&](operations::OfDevice) { device.host_work().Enqueue(this); },
                });
}

void SubmissionAction::Run() noexcept {
  if (ended()) [[unlikely]]
    return DropReference();
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&device());
  if (only_fails()) return OperationAction::Run();
  if (IsForDevice()) return RunOnDevice();
  // The worker's next item does not wait for others' work.
  const SeparateDrain drain(&submission_device().callbacks());
  OperationAction::Run();
}

// The one submission that the operation comes after, or none; false if there are several.
bool SubmissionAction::SinglePredecessor(QueuePoint* out) const {
  *out = {};
  if (std::popcount(predecessors()) > 1) return false;
  if (predecessors() != 0) {
    const auto queue = static_cast<uint32_t>(std::countr_zero(predecessors()));
    *out = {queue, After(queue)};
  }
  return true;
}

// Whether the operation is carried out without a lane: it ends with `*out_after`.
bool SubmissionAction::NeedsNoLane(QueuePoint* out_after) {
  if (conditional() || !SinglePredecessor(out_after)) return false;
  return type() == HAL_QUEUE_OPERATION_TYPE_BARRIER || RunWithoutLane(out_after);
}

void SubmissionAction::NoteStart() noexcept {
  if (profiled() && start_ == 0) start_ = MonotonicNanoseconds();
}

void SubmissionAction::RunOnDevice() noexcept {
  NoteStart();
  Status status = CheckMayRun();
  if (status == kOk) status = CheckOutcomes();
  QueuePoint after;
  if (status == kOk && NeedsNoLane(&after)) {
    if (after.epoch != 0) {
      set_queue(after.queue);
      published_.store(false, std::memory_order_relaxed);
      if (submission_device().queue(after.queue).Follow(*this, after.epoch)) return;  // Retired() ends it, or has
    }
  } else if (status == kOk) {
    status = Guard([this] { return SubmitNextStage(); });
    if (status == kOk) return;  // here, too
  }
  if (status != kOk) return SubmitFailed(status);
  EndOnDevice(kOk);
}

void SubmissionAction::SubmitFailed(Status status) noexcept {
  Failure failure(status);
  if (!FailAfterOthers(failure)) EndOnDevice(failure.Take());
}

// A failure is told no earlier than the signals of what the operation comes after: they may move the same timelines.
// So it ends with that, doing nothing. False if there is nothing to wait for, or no way to.
bool SubmissionAction::FailAfterOthers(const Failure& failure) noexcept {
  if (fails() || failure.code() == HAL_STATUS_DEVICE_LOST || wait_failed() || device().health().lost()) return false;
  if (predecessors() == 0 && !conditional()) return false;
  KeepFailure(failure.Share());
  published_.store(false, std::memory_order_relaxed);
  QueuePoint after;
  if (!conditional() && SinglePredecessor(&after)) {
    set_queue(after.queue);
    return submission_device().queue(after.queue).Follow(*this, after.epoch);
  }
  return Succeeds(Guard([this] { return SubmitNextStage(); }));
}

Status SubmissionAction::SubmitStage(SubmissionQueue& queue) { return queue.Submit(*this); }

Status SubmissionAction::SubmitNextStage() {
  if (!queue_) {
    // The queue that the operation comes after anyway, so that the lane's order is all it takes; else the next in turn.
    SubmissionDevice& device = submission_device();
    const uint64_t both = queues() & predecessors();
    ChooseQueue(both != 0 ? device.queue(static_cast<size_t>(std::countr_zero(both))) : device.NextQueue(queues()));
  }
  published_.store(false, std::memory_order_relaxed);
  return SubmitStage(*queue_);
}

void SubmissionAction::ChooseQueue(SubmissionQueue& queue) noexcept {
  queue_ = &queue;
  set_queue(queue.index());
  published_.store(false, std::memory_order_relaxed);
}

void SubmissionAction::TakeBack(Status status) noexcept {
  WithdrawSignals();
  EndOnDevice(status);
}

void SubmissionAction::Publish(SubmissionQueue& queue, uint64_t epoch) noexcept {
  const DrainScope scope;  // what this releases runs once the action is published
  bool awaited = fails() || has_more_stages() || checks_stage();
  if (!awaited) {
    for (const Signal& signal : signals()) {
      SubmissionSemaphore* const own = submission_device().OwnSemaphore(signal.semaphore.get());
      if (!own) {
        awaited = true;
        continue;
      }
      const auto added = own->AddPending({signal.value, queue.index(), epoch, conditional()}, *this);
      awaited |= added.awaited;
      lacks_edge_ |= added.lacks_edge;
    }
  }
  if (awaited) queue.RequestNotification(epoch);
  AtTestPoint();
  published_.store(true, std::memory_order_seq_cst);
}

void SubmissionAction::Retired() noexcept {
  const bool lost = device().health().lost();
  if (!fails() && !lost) {
    if (Status status = CheckStage(); status != kOk) KeepFailure(status);
  }
  if (!fails() && has_more_stages() && !lost && Succeeds(CheckOutcomes())) {
    submission_device().host_work().Enqueue(this);  // the next stage, in Run()
    return;
  }
  Status status = device().health().Check();
  if (status == kOk) status = CheckOutcomes();
  if (status == kOk && fails()) status = failure_.Share();
  is_retired_ = true;
  EndOnDevice(status);
}

Before SubmissionAction::LookBefore() noexcept {
  auto all = Before::kNothing;
  for (const Signal& signal : signals()) {
    SubmissionSemaphore* const own = submission_device().OwnSemaphore(signal.semaphore.get());
    const Before one = own ? own->LookBefore(signal.value) : Before::kNothing;
    if (one == Before::kEnding) return one;
    all = std::max(all, one);
  }
  lacks_edge_ = false;
  return all;
}

// Retirement keeps the order of the device's own signals. What ends without it is for them like a signal from outside.
void SubmissionAction::SignalAll() noexcept {
  for (const Signal& signal : signals()) {
    hal_semaphore_t* const semaphore = signal.semaphore.get();
    SubmissionSemaphore* const own = is_retired_ ? submission_device().OwnSemaphore(semaphore) : nullptr;
    if (own) [[likely]] {
      FailRefused(semaphore, Guard([&] { return own->SignalInOrder(signal.value); }));
    } else {
      SignalEnd(semaphore, signal.value);
    }
  }
}

void SubmissionAction::EndOnDevice(Status status) noexcept {
  uint64_t end = 0;
  if (profiled()) end = MonotonicNanoseconds();
  EndWork(&start_, &end);
  Finish(start_, end, status);
}

}  // namespace halyard
