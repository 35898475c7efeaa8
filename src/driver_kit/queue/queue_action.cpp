// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/queue/queue_action.h"

#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/signal_end.h"

namespace halyard {

void QueueAction::SetSignals(hal_semaphore_list_t signals) {
  // The one step that may throw, so that the list is taken whole or not at all.
  if (signals.count > kFewSignals && many_signals_.size() < signals.count) many_signals_.resize(signals.count);
  signal_count_ = static_cast<uint32_t>(signals.count);
  withdrawn_ = false;
  ended_ = false;
  const hal_timeline_point_t* point = signals.points;
  for (Signal& signal : this->signals()) {
    signal = {Ref<hal_semaphore_t>::Retaining(point->semaphore), point->value};
    ++point;
  }
}

void QueueAction::ClearSignals() noexcept {
  for (Signal& signal : signals()) signal.semaphore = {};
  signal_count_ = 0;
}

void QueueAction::Defer(hal_semaphore_list_t waits) {
  const DrainScope scope;
  const auto count = static_cast<uint32_t>(waits.count);
  unreached_.store(count + 1, std::memory_order_relaxed);
  references_.store(count + 2, std::memory_order_relaxed);  // one for Complete(), one for this function
  // In one order with DeviceHealth::lost(): the thread that loses the device sees this action, or the submitter sees
  // the loss.
  state_.store(State::kWaiting, std::memory_order_seq_cst);
  for (size_t i = 0; i < waits.count; ++i) {
    const Status status = Await(waits.points[i], OnTimepoint);
    // A registration that failed brings no callback.
    if (const Failure failure(status); failure) OnTimepoint(this, failure.code(), ToC(failure.message()));
  }
  // Lost since the submission was let in: the thread that lost the device may have missed this action.
  if (const Failure* const failure = DeviceFailure()) FailDeferred(*failure);
  WaitEnded(HAL_STATUS_OK, {});
  DropReference();
}

void QueueAction::Begin() {
  references_.store(1, std::memory_order_relaxed);  // for Complete()
  state_.store(State::kReady, std::memory_order_relaxed);
}

Status QueueAction::Await(const hal_timeline_point_t& point, hal_timepoint_fn_t callback) noexcept {
  hal_timepoint_t timepoint{};  // not needed, but a semaphore of another driver may rely on there being one
  return FromC(VtableOf(point.semaphore)->notify(point.semaphore, point.value, callback, this, &timepoint));
}

void QueueAction::OnTimepoint(void* user_data, hal_status_t status, hal_string_view_t message) {
  auto* const action = static_cast<QueueAction*>(user_data);
  action->WaitEnded(status, message);
  action->DropReference();
}

void QueueAction::WaitEnded(hal_status_t status, hal_string_view_t message) noexcept {
  // acq_rel: what happened before each wait was reached is visible to the thread that runs the action.
  if (status == HAL_STATUS_OK && unreached_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!Leave(status == HAL_STATUS_OK ? State::kReady : State::kFailed)) return;
  if (status != HAL_STATUS_OK) failure_ = Failure(FailWith(status, View(message)));
  OnReady();
}

bool QueueAction::Leave(State state) noexcept {
  State expected = State::kWaiting;
  return state_.compare_exchange_strong(expected, state, std::memory_order_seq_cst);
}

void QueueAction::FailDeferred(const Failure& failure) noexcept {
  // The thread that leaves the waiting state keeps the action alive: it completes no earlier than OnReady() lets it.
  if (!Leave(State::kFailed)) return;
  failure_ = failure;
  OnReady();
}

void QueueAction::FailReady(Status status) noexcept {
  if (wait_failed()) return status.Ignore();
  failure_ = Failure(status);
  state_.store(State::kFailed, std::memory_order_relaxed);
}

void QueueAction::Complete(Status status) noexcept {
  const DrainScope scope;
  const uint32_t callbacks = DrainScope::CallbackCount();
  if (status == kOk) {
    SignalAll();
  } else {
    FailAll(status);
  }
  ClearSignals();
  if (DrainScope::CallbackCount() == callbacks) [[likely]]
    return DropReference();
  ended_ = true;
  DrainScope::DeferAfterCallbacks(this);
}

void QueueAction::SignalAll() noexcept {
  for (Signal& signal : signals()) SignalEnd(signal.semaphore.get(), signal.value);
}

void QueueAction::FailAll(Status status) noexcept {
  const Failure failure(status);
  for (Signal& signal : signals()) FailSemaphore(signal.semaphore.get(), failure);
}

void QueueAction::DropReference() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) Recycle();
}

}  // namespace halyard
