// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of the library's own that stands for one operation of the application: copies between devices, collectives.
#ifndef HALYARD_CORE_PEER_BETWEEN_BARRIERS_H_
#define HALYARD_CORE_PEER_BETWEEN_BARRIERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/drain_scope.h"
#include "base/object_memory.h"
#include "base/process_wide.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/timeline/timeline_semaphore.h"
#include "halyard/driver_api.h"

namespace halyard {

/// What stands between two barriers of the device that the operation was submitted to, and their timeline.
///
/// The first barrier waits for what the operation waits for, and signals kBegin. The second one waits for kEnd, and
/// signals what the operation signals. So the application's waits, the failure of one, drains and the loss of the
/// device are the driver's own business. `Derived::Run()` is called once both barriers are with the device and the
/// first one has ended.
///
/// `Derived` has the entries Signal(value) and FailFrom(status, message), which the first barrier calls: they move no
/// timeline.
template <class Derived>
class BetweenBarriers : public TimelineSemaphore, public Runnable {
 public:
  static constexpr uint64_t kBegin = 1;
  static constexpr uint64_t kEnd = 2;

  /// A new one, in the memory of an earlier one. May throw.
  template <class... Arguments>
  static Ref<hal_semaphore_t> Make(Arguments&&... arguments) {
    auto& memory = ProcessWide<Memory>::Get();
    return Ref<hal_semaphore_t>::Adopting(memory.template Make<Derived>(std::forward<Arguments>(arguments)...));
  }

 protected:
  BetweenBarriers() : TimelineSemaphore(&Table(), 0) {}
  ~BetweenBarriers() = default;

  /// One of the two that it takes to begin is there. Run() gets a reference.
  void CountDown() noexcept {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Retain(static_cast<hal_semaphore_t*>(this));
    DrainScope::Defer(this);
  }
  /// Has the second barrier run, or fail.
  void EndTimeline(const Failure& failure) noexcept {
    if (failure) {
      FailTimeline(failure.code(), ToC(failure.message())).Ignore();
    } else {
      TimelineSemaphore::Signal(kEnd).Ignore();  // cannot be late: nothing else signals it
    }
  }

 private:
  struct Memory : ObjectMemory, HostObject {};

  static void Destroy(hal_object_t* object) noexcept {
    auto* const self = static_cast<Derived*>(reinterpret_cast<hal_semaphore_t*>(object));
    if (auto* const memory = ProcessWide<Memory>::Find()) {
      memory->Destroy(self);
    } else {
      delete self;
    }
  }
  static const hal_semaphore_vtable_t& Table() {
    static constexpr hal_semaphore_vtable_t kEntries = [] {
      hal_semaphore_vtable_t table = TimelineSemaphore::MakeVtable();
      table.destroy = Destroy;
      table.signal = Entry<&Derived::Signal>::template Of<hal_semaphore_t>;
      table.fail = Entry<&Derived::FailFrom>::template Of<hal_semaphore_t>;
      return table;
    }();
    return kEntries;
  }

  std::atomic<uint32_t> missing_{2};  // the end of the first barrier, and the second barrier
};

/// Submits the two barriers of a `Work`, which derives from BetweenBarriers.
template <class Work>
class BarrierPair {
 public:
  /// Submits the first barrier, and makes `*operation` the second one.
  Status Begin(hal_device_t* device, Ref<hal_semaphore_t> work, hal_queue_operation_t* operation) {
    work_ = std::move(work);
    const hal_timeline_point_t begin = {work_.get(), Work::kBegin};
    hal_queue_operation_t first{};
    first.struct_size = offsetof(hal_queue_operation_t, label);
    first.type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
    first.queues = operation->queues;
    first.wait_list = operation->wait_list;
    first.signal_list = hal_semaphore_list(&begin, 1);
    HAL_TRY(VtableOf(device)->submit(device, &first));
    end_ = {work_.get(), Work::kEnd};
    operation->type = HAL_QUEUE_OPERATION_TYPE_BARRIER;
    operation->wait_list = hal_semaphore_list(&end_, 1);
    return kOk;
  }
  /// The second barrier was submitted. Does nothing without a first one.
  void Confirm() noexcept {
    if (work_) static_cast<Work*>(work_.get())->Confirm();
  }

 private:
  Ref<hal_semaphore_t> work_;
  hal_timeline_point_t end_{};
};

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_BETWEEN_BARRIERS_H_
