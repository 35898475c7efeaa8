// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/awaited_points.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/drain_scope.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/signal_end.h"

namespace halyard {
namespace {

bool IsBefore(const AwaitedPoints::Import& left, const AwaitedPoints::Import& right) {
  return left.value < right.value;
}

// A signal would change nothing: all semaphores have failed.
bool IsUnwanted(const AwaitedPoints::Import& import) {
  return std::all_of(import.points.begin(), import.points.end(), [](const AwaitedPoints::Point& point) {
    hal_semaphore_t* const semaphore = point.semaphore.get();
    uint64_t now = 0;
    return !Succeeds(FromC(VtableOf(semaphore)->query(semaphore, &now)));
  });
}

}  // namespace

AwaitedPoints::Imports AwaitedPoints::Make(uint64_t value, hal_semaphore_list_t signals, Ref<hal_device_t> device) {
  Imports made(1);
  Import& import = made.front();
  import.value = value;
  import.device = std::move(device);
  for (size_t i = 0; i < signals.count; ++i) {
    const hal_timeline_point_t& point = signals.points[i];
    import.points.push_back({Ref<hal_semaphore_t>::Retaining(point.semaphore), point.value});
  }
  return made;
}

// Nothing from here on takes memory, so nothing can be lost half-way.
void AwaitedPoints::Add(Imports&& made) noexcept {
  const std::lock_guard lock(mutex_);
  waiting_.merge(made, IsBefore);  // behind those of the same value
}

bool AwaitedPoints::BeginServing(uint64_t reached) noexcept {
  const std::lock_guard lock(mutex_);
  reached_ = std::max(reached_, reached);
  return !std::exchange(serves_, true);
}

// The thread that finds nothing serves no longer; what another thread adds or finds out from now on is that thread's.
AwaitedPoints::Imports AwaitedPoints::TakeDue() noexcept {
  const std::lock_guard lock(mutex_);
  Imports due;
  const auto end =
      std::find_if(waiting_.begin(), waiting_.end(), [this](const Import& import) { return import.value > reached_; });
  due.splice(due.end(), waiting_, waiting_.begin(), end);
  serves_ = !due.empty();
  return due;
}

void AwaitedPoints::Reached(uint64_t value) noexcept {
  if (!BeginServing(value)) return;
  for (Imports due = TakeDue(); !due.empty(); due = TakeDue()) {
    const DrainScope drain;
    for (const Import& import : due) {
      for (const Point& point : import.points) SignalEnd(point.semaphore.get(), point.value);
    }
  }
}

void AwaitedPoints::Fail(const Failure& failure) noexcept {
  Imports all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(waiting_);
  }
  for (const Import& import : all) {
    for (const Point& point : import.points) FailSemaphore(point.semaphore.get(), failure);
  }
}

// Semaphores are asked without the mutex, as that may call the application. What is due meanwhile is signalled after.
void AwaitedPoints::DropUnwanted() noexcept {
  if (!BeginServing(0)) return;
  Imports all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(waiting_);
  }
  all.remove_if(IsUnwanted);
  {
    const std::lock_guard lock(mutex_);
    all.merge(waiting_, IsBefore);
    all.swap(waiting_);
    serves_ = false;
  }
  Reached(0);
}

bool AwaitedPoints::empty() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !serves_;
}

bool AwaitedPoints::IsDue(uint64_t value) {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty() && waiting_.front().value <= value && (!serves_ || value > reached_);
}

}  // namespace halyard
