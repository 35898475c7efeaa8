// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points that wait for a timeline of the application, such as a VkSemaphore or an MTLSharedEvent.
#ifndef HALYARD_SUBMISSION_AWAITED_POINTS_H_
#define HALYARD_SUBMISSION_AWAITED_POINTS_H_

#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The points that wait for values of one foreign timeline. Several threads may find out what the timeline has reached,
/// in any order; the points are signalled in the order of the values all the same, by one thread at a time. No lock is
/// held then. Thread-safe.
class AwaitedPoints {
 public:
  struct Point {
    Ref<hal_semaphore_t> semaphore;
    uint64_t value = 0;
  };
  /// What is signalled for one value of the timeline.
  struct Import {
    uint64_t value = 0;
    HostVector<Point> points;
    Ref<hal_device_t> device;  ///< kept until then; may be NULL
  };
  using Imports = HostList<Import>;

  /// A list of one import, for Add(). May throw.
  static Imports Make(uint64_t value, hal_semaphore_list_t signals, Ref<hal_device_t> device);

  /// Takes imports over. Reached() comes afterwards, even if the value was reached before.
  void Add(Imports&& made) noexcept;
  /// The timeline has reached a value; 0 if nothing new is known. Signals what waits for that, or leaves it to the
  /// thread that is at that. The last reference to a device may go.
  void Reached(uint64_t value) noexcept;
  /// Fails all points.
  void Fail(const Failure& failure) noexcept;
  /// Drops the imports whose semaphores have all failed.
  void DropUnwanted() noexcept;

  /// Whether nothing waits, and no thread signals.
  bool empty();
  /// Whether an import waits for a value up to `value`, and no thread is about to signal it.
  bool IsDue(uint64_t value);

 private:
  Imports TakeDue() noexcept;
  bool BeginServing(uint64_t reached) noexcept;

  std::mutex mutex_;      // protects what follows; a leaf
  Imports waiting_;       // sorted by value
  uint64_t reached_ = 0;  // what the timeline is known to have reached
  bool serves_ = false;   // a thread takes imports out, or has taken them
};

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_AWAITED_POINTS_H_
