// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that a device does by itself, but whose failure the host must know.
//
// An operation that waits for another device's submission may wait on its own device, if its lane can. But that wait
// ends even if the other device is lost, and then the operation must fail, even though its own device is healthy. So it
// asks the semaphore on the host as well, and is not ended before it knows this *outcome*. What it signals in turn is
// *conditional* until then: an operation that waits for such a signal on the device asks too. So a failure reaches all
// that depends on it, and nothing else.
//
// A signal of the operation's own device never fails by itself. But its semaphore may: by the host, or by another of
// its signals. So the semaphore notes which operations come after which of its signals (SubmissionSemaphore::Expect()),
// and tells them. It tells them in time: the signal itself, refused as it is retired, waits until all are told, and
// they are retired later.
//
// Retirement stops at a submission whose outcome is unknown. That does not last: its device has completed it, so the
// other device has completed what it came after, and the question has woken the thread that will tell. No two devices
// wait for each other, as a submission comes after all that it asks for.
#include "driver_kit/object/vtable.h"
#include "submission/submission_action.h"
#include "submission/submission_device.h"
#include "submission/submission_queue.h"
#include "submission/submission_semaphore.h"

namespace halyard {

void SubmissionAction::ComeAfterSignal(SubmissionSemaphore& semaphore, uint64_t value,
                                       const PendingSignal& signal) noexcept {
  SubmissionDevice& owner = *semaphore.submission_device();
  const bool foreign = &owner != &submission_device();
  if (!foreign) {
    ComeAfter(signal.queue, signal.epoch);
    if (!signal.conditional) [[likely]]
      return;
  } else if (!owner.queue(signal.queue).IsCompleted(signal.epoch)) {
    const Status status = Guard([&] { return ComeAfterForeign(owner, signal.queue, signal.epoch); });
    if (status != kOk) {
      KeepOutcome(Failure(status));
      must_fail_.store(true, std::memory_order_release);
    }
  }
  AwaitOutcome(semaphore, value);
}

Status SubmissionAction::ComeAfterForeign(SubmissionDevice& /*device*/, size_t /*queue*/, uint64_t /*epoch*/) {
  return FailWith(HAL_STATUS_INTERNAL, "the driver's lanes do not wait for other devices");
}

void SubmissionAction::AwaitOutcome(SubmissionSemaphore& semaphore, uint64_t value) noexcept {
  AddReference();
  unknown_outcomes_.fetch_add(1, std::memory_order_relaxed);
  const Status status = Guard([&] { return semaphore.Notify(value, OnOutcome, this, nullptr); });
  if (const Failure failure(status); failure) OnOutcome(this, failure.code(), ToC(failure.message()));
}

void SubmissionAction::OnOutcome(void* user_data, hal_status_t status, hal_string_view_t message) {
  auto* const action = static_cast<SubmissionAction*>(user_data);
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&action->device());
  if (status != HAL_STATUS_OK) action->KeepOutcome(Failure(FailWith(status, View(message))));
  // Retirement may have come by meanwhile; seq_cst against its look, see may_end().
  if (action->unknown_outcomes_.fetch_sub(1, std::memory_order_seq_cst) == 1) action->submission_device().Retire();
  action->DropReference();
}

void SubmissionAction::FailUse(uint64_t use, const Failure& failure) noexcept {
  const std::lock_guard lock(outcome_mutex_);
  if (use != use_) return;
  KeepOutcomeLocked(failure);
  must_fail_.store(true, std::memory_order_release);
}

void SubmissionAction::ForgetOutcome() noexcept {
  if (watched_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(outcome_mutex_);
    ++use_;
    watched_.store(false, std::memory_order_relaxed);
  }
  must_fail_.store(false, std::memory_order_relaxed);
  has_outcome_.store(false, std::memory_order_relaxed);
}

void SubmissionAction::KeepOutcome(const Failure& failure) noexcept {
  const std::lock_guard lock(outcome_mutex_);
  KeepOutcomeLocked(failure);
}

void SubmissionAction::KeepOutcomeLocked(const Failure& failure) noexcept {
  if (has_outcome_.load(std::memory_order_relaxed)) return;
  outcome_ = failure;
  has_outcome_.store(true, std::memory_order_release);
}

bool SubmissionAction::may_end() const {
  if (!published_.load(std::memory_order_seq_cst)) return false;
  if (unknown_outcomes_.load(std::memory_order_seq_cst) == 0 && (!profiled() || end_is_told())) return true;
  return submission_device().health().lost();
}

bool SubmissionAction::conditional() const {
  return unknown_outcomes_.load(std::memory_order_acquire) != 0 || has_outcome_.load(std::memory_order_acquire);
}

// The failure of a wait, as far as it is known. The first one stays, so that it can be read without the lock.
Status SubmissionAction::CheckOutcomes() const {
  const bool known =
      must_fail_.load(std::memory_order_acquire) || unknown_outcomes_.load(std::memory_order_acquire) == 0;
  return known && has_outcome_.load(std::memory_order_acquire) ? outcome_.Share() : kOk;
}

}  // namespace halyard
