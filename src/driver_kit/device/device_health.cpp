// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/device_health.h"

#include <mutex>

#include "base/drain_scope.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/signal_end.h"

namespace halyard {

static_assert(sizeof(TrackedSemaphore) <= 128, "programs make a semaphore for each of their operations");
namespace {

// Adds a reference unless the last one is gone and the object is on its way to be destroyed.
bool TryRetain(hal_object_t& object) {
  std::atomic_ref count(object.ref_count);
  uint32_t value = count.load(std::memory_order_relaxed);
  while (value != 0) {
    if (count.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace

void DeviceHealth::Lose(std::string_view reason) {
  const DrainScope scope;  // what hears of it may give up the device
  {
    const std::lock_guard lock(mutex_);
    if (lost_.load(std::memory_order_relaxed)) return;
    failure_ = Failure(FailWith(HAL_STATUS_DEVICE_LOST, reason));
    lost_.store(true, std::memory_order_seq_cst);
  }
  while (Ref<hal_semaphore_t> semaphore = NextSemaphore()) {
    FailSemaphore(semaphore.get(), failure_);
  }
}

Status DeviceHealth::Track(TrackedSemaphore& semaphore) {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.load(std::memory_order_relaxed)) {
      semaphore.next_ = semaphores_;
      if (semaphores_) semaphores_->previous_ = &semaphore;
      semaphores_ = &semaphore;
      return kOk;
    }
  }
  return failure_.Share();
}

Status DeviceHealth::ListSemaphores(HostVector<Ref<hal_semaphore_t>>* out_semaphores) {
  {
    const std::lock_guard lock(mutex_);
    if (!lost_.load(std::memory_order_relaxed)) {
      size_t count = 0;
      for (const TrackedSemaphore* semaphore = semaphores_; semaphore; semaphore = semaphore->next_) ++count;
      out_semaphores->reserve(count);  // the step that may throw: no reference is dropped with the lock
      for (TrackedSemaphore* semaphore = semaphores_; semaphore; semaphore = semaphore->next_) {
        if (TryRetain(semaphore->object)) out_semaphores->push_back(Ref<hal_semaphore_t>::Adopting(semaphore));
      }
      return kOk;
    }
  }
  return failure_.Share();
}

void DeviceHealth::TrimSemaphores() {
  semaphore_memory_.Trim();
  HostVector<Ref<hal_semaphore_t>> semaphores;
  if (!Succeeds(ListSemaphores(&semaphores))) return;  // a lost device has no list, and nothing to trim
  for (const Ref<hal_semaphore_t>& semaphore : semaphores) static_cast<TrackedSemaphore*>(semaphore.get())->Trim();
}

Ref<hal_semaphore_t> DeviceHealth::NextSemaphore() {
  const std::lock_guard lock(mutex_);
  while (TrackedSemaphore* semaphore = semaphores_) {
    semaphore->Unlink();
    if (TryRetain(semaphore->object)) return Ref<hal_semaphore_t>::Adopting(semaphore);
  }
  return {};
}

TrackedSemaphore::TrackedSemaphore(DeviceHealth& health, const hal_semaphore_vtable_t* vtable, uint64_t initial_value)
    : TimelineSemaphore(vtable, initial_value), health_(health) {}

TrackedSemaphore::~TrackedSemaphore() {
  const std::lock_guard lock(health_.mutex_);
  Unlink();
}

void TrackedSemaphore::Unlink() {
  if (!linked()) return;
  (previous_ ? previous_->next_ : health_.semaphores_) = next_;
  if (next_) next_->previous_ = previous_;
  previous_ = next_ = nullptr;
}

}  // namespace halyard
