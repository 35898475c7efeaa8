// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edges whose device-side wait says less than the host must know.
//
// An operation that waits for another device's submission waits on its own device, by that submission's event. But the
// event completes also if the other device is lost, and then the operation is to fail though its own device is well.
// So it asks the semaphore on the host as well, and is not ended before it knows this *outcome*. What it signals in
// turn is *uncertain* until then: whoever waits for that, on the device, asks too, so that a failure reaches all that
// depends on it and nothing else.
//
// A signal of its own device never fails by itself. But its semaphore may: by the host, or by another of its signals.
// So the semaphore notes who comes after which of its signals (StreamSemaphore::Expect()), and tells them. In time: the
// signal itself, refused as it is retired, waits until all are told, and they are retired later.
//
// Retirement stands still at a submission whose outcome is unknown. That does not last: its device is done with it, so
// the other device is done with what it came after, and the question has woken the thread that will say so. No two
// devices stand still for each other, as a submission comes after all that it asks for.
#include <algorithm>

#include "driver_kit/object/vtable.h"
#include "stream/device/stream_device.h"
#include "stream/device/stream_semaphore.h"

namespace halyard::stream {

void StreamAction::ComeAfterSignal(StreamSemaphore& semaphore, uint64_t value, const PendingSignal& signal) noexcept {
  StreamDevice& owner = *semaphore.stream_device();
  const bool foreign = &owner != &stream_device();
  if (!foreign) {
    ComeAfter(signal.queue, signal.epoch);
    if (!signal.uncertain) [[likely]]
      return;
  }
  DeviceEventRef event;
  if (foreign && owner.queue(signal.queue).EventOf(signal.epoch, &event)) {
    const Status status = Guard([&] {
      const std::lock_guard lock(edges_mutex_);
      foreign_.push_back({Ref<hal_device_t>::Retaining(&owner), std::move(event)});
      return kOk;
    });
    if (status != kOk) {
      KeepOutcome(status, LastErrorMessage());
      must_fail_.store(true, std::memory_order_release);
    }
  }
  AwaitOutcome(semaphore, value);
}

void StreamAction::AwaitOutcome(StreamSemaphore& semaphore, uint64_t value) noexcept {
  AddReference();
  unknown_outcomes_.fetch_add(1, std::memory_order_relaxed);
  const Status status = Guard([&] { return semaphore.Notify(value, OnOutcome, this, nullptr); });
  if (status != kOk) OnOutcome(this, status, ToC(LastErrorMessage()));
}

void StreamAction::OnOutcome(void* user_data, hal_status_t status, hal_string_view_t message) {
  auto* const action = static_cast<StreamAction*>(user_data);
  const Ref<hal_device_t> kept = Ref<hal_device_t>::Retaining(&action->device());
  if (status != kOk) action->KeepOutcome(status, View(message));
  // Retirement may have come by meanwhile; seq_cst against its look, see may_end().
  if (action->unknown_outcomes_.fetch_sub(1, std::memory_order_seq_cst) == 1) action->stream_device().Retire();
  action->DropReference();
}

void StreamAction::FailUse(uint64_t use, const Failure& failure) noexcept {
  const std::lock_guard lock(edges_mutex_);
  if (use != use_) return;
  KeepOutcomeLocked(failure.status, failure.message);
  must_fail_.store(true, std::memory_order_release);
}

void StreamAction::ForgetOutcome() noexcept {
  if (watched_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(edges_mutex_);
    ++use_;
    watched_.store(false, std::memory_order_relaxed);
  }
  must_fail_.store(false, std::memory_order_relaxed);
  has_outcome_.store(false, std::memory_order_relaxed);
}

void StreamAction::KeepOutcome(hal_status_t status, std::string_view message) noexcept {
  const std::lock_guard lock(edges_mutex_);
  KeepOutcomeLocked(status, message);
}

void StreamAction::KeepOutcomeLocked(hal_status_t status, std::string_view message) noexcept {
  if (has_outcome_.load(std::memory_order_relaxed)) return;
  outcome_ = Failure::Of(status, message);
  has_outcome_.store(true, std::memory_order_release);
}

bool StreamAction::may_end() const {
  if (!published_.load(std::memory_order_seq_cst)) return false;
  return unknown_outcomes_.load(std::memory_order_seq_cst) == 0 || stream_device().health().lost();
}

bool StreamAction::uncertain() const {
  return unknown_outcomes_.load(std::memory_order_acquire) != 0 || has_outcome_.load(std::memory_order_acquire);
}

// The failure of a wait, as far as it is known. The first one stays, so that it can be read without the lock.
Status StreamAction::CheckOutcomes() const {
  const bool known =
      must_fail_.load(std::memory_order_acquire) || unknown_outcomes_.load(std::memory_order_acquire) == 0;
  return known && has_outcome_.load(std::memory_order_acquire) ? outcome_.Raise() : kOk;
}

}  // namespace halyard::stream
