// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a device still works, and what must hear of it when it does not.
#ifndef HALYARD_DRIVER_KIT_DEVICE_DEVICE_HEALTH_H_
#define HALYARD_DRIVER_KIT_DEVICE_DEVICE_HEALTH_H_

#include <atomic>
#include <new>

#include "base/host_memory.h"
#include "base/object_memory.h"
#include "base/small_mutex.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "driver_kit/timeline/timeline_semaphore.h"

namespace halyard {

class TrackedSemaphore;

/// The health of one device and the list of its semaphores, all of which fail when the device is lost.
///
/// Lock order: `mutex_` is a leaf. No semaphore is touched under it but to add a reference.
class DeviceHealth {
 public:
  /// OK, or DEVICE_LOST with the cause. One load while the device works.
  Status Check() const { return lost_.load(std::memory_order_acquire) ? failure_.Share() : kOk; }

  /// One load, in one order with QueueAction's state.
  bool lost() const { return lost_.load(std::memory_order_seq_cst); }
  /// Why; only once it is lost.
  const Failure& failure() const { return failure_; }

  /// Marks the device as lost and fails its semaphores. The first cause stays.
  void Lose(std::string_view reason);

  /// Puts a semaphore that is complete on the list, by its maker, before any other thread has it; or fails as Check().
  Status Track(TrackedSemaphore& semaphore);
  /// The semaphores on the list. Fails as Check(). May throw.
  Status ListSemaphores(HostVector<Ref<hal_semaphore_t>>* out_semaphores);

  /// Memory for the device's semaphores, which are all of one type.
  ObjectMemory& semaphore_memory() { return semaphore_memory_; }
  /// Frees what semaphores have left that are gone, and what waits have left in those that are there. May throw.
  void TrimSemaphores();

 private:
  friend class TrackedSemaphore;
  Ref<hal_semaphore_t> NextSemaphore();

  std::atomic<bool> lost_{false};
  Failure failure_;   // written once, before lost_ becomes true
  SmallMutex mutex_;  // protects the list, which nothing joins once lost_ is true
  TrackedSemaphore* semaphores_ = nullptr;
  ObjectMemory semaphore_memory_;
};

/// A timeline semaphore that its device can fail, from DeviceHealth::Track() on. Lives no longer than the device.
class TrackedSemaphore : public TimelineSemaphore {
 public:
  TrackedSemaphore(DeviceHealth& health, const hal_semaphore_vtable_t* vtable, uint64_t initial_value);
  ~TrackedSemaphore();
  using HostObject::operator delete;
  /// Its memory goes back to the device.
  static void operator delete(TrackedSemaphore* self, std::destroying_delete_t) noexcept {
    self->health_.semaphore_memory().Destroy(self);
  }

  static constexpr hal_semaphore_vtable_t MakeVtable() {
    hal_semaphore_vtable_t table = TimelineSemaphore::MakeVtable();
    table.destroy = DestroyEntry<TrackedSemaphore, hal_semaphore_t>;
    return table;
  }

 private:
  friend class DeviceHealth;
  void Unlink();
  bool linked() const { return previous_ || health_.semaphores_ == this; }

  DeviceHealth& health_;
  TrackedSemaphore* previous_ = nullptr;  // the list, protected by health_.mutex_
  TrackedSemaphore* next_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_DEVICE_HEALTH_H_
