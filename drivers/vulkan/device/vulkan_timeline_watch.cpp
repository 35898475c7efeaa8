// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_timeline_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/drain_scope.h"
#include "driver_kit/object/vtable.h"
#include "submission/exit_drain.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/native/vulkan_timeline.h"

namespace halyard::vulkan {
namespace {

/// Moves those out of a list for which `test` holds.
template <class List, class Test>
List TakeIf(List& list, Test test) {
  List taken;
  for (auto one = list.begin(); one != list.end();) {
    const auto next = std::next(one);
    if (test(*one)) taken.splice(taken.end(), list, one);
    one = next;
  }
  return taken;
}

}  // namespace

struct TimelineWatches::Point {
  Ref<hal_semaphore_t> semaphore;
  uint64_t value = 0;
};

/// Points that wait for one value of the timeline.
struct TimelineWatches::Awaited {
  uint64_t value = 0;
  HostVector<Point> points;

  void Signal() const {
    for (const Point& point : points) {
      hal_semaphore_t* const semaphore = point.semaphore.get();
      static_cast<void>(VtableOf(semaphore)->signal(semaphore, point.value));
    }
  }
  void Fail(const Failure& failure) const {
    for (const Point& point : points) {
      hal_semaphore_t* const semaphore = point.semaphore.get();
      static_cast<void>(VtableOf(semaphore)->fail(semaphore, failure.status, ToC(failure.message)));
    }
  }
  /// Whether a signal would change nothing, as all semaphores have failed.
  bool IsUnwanted() const {
    return std::all_of(points.begin(), points.end(), [](const Point& point) {
      hal_semaphore_t* const semaphore = point.semaphore.get();
      uint64_t now = 0;
      return VtableOf(semaphore)->query(semaphore, &now) != kOk;
    });
  }
};

/// What the thread of one timeline works for.
struct TimelineWatches::State final : DrainsAtExit {
  using DrainsAtExit::RunsOnThisThread;
  // When the process ends, Vulkan's driver goes: no thread is to be inside by then.
  void BeginDrain() noexcept override {
    const std::lock_guard lock(mutex);
    leaves = true;
  }
  bool IsDrained() noexcept override {
    const std::lock_guard lock(mutex);
    return drained;
  }
  bool HasEnded() {
    const std::lock_guard lock(mutex);
    return ended;
  }

  Ref<hal_device_t> device;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::mutex mutex;  // protects what follows; a leaf
  AwaitedList awaited;
  bool leaves = false;   // the process ends
  bool ended = false;    // the thread looks at the timeline no more
  bool drained = false;  // and has no device any more

  VulkanDevice& vulkan() const { return *static_cast<VulkanDevice*>(device.get()); }
  bool TryPush(Awaited* one) {
    const std::lock_guard lock(mutex);
    if (!ended) awaited.push_back(std::move(*one));
    return !ended;
  }
  void Serve(uint64_t reached) noexcept;
  AwaitedList TakeReached(uint64_t reached) noexcept;
  void DropUnwanted() noexcept;
  bool EndIfIdle() noexcept;
  void DropDevice() noexcept;
};

// Nothing here takes memory, so nothing can be lost half-way.
TimelineWatches::AwaitedList TimelineWatches::State::TakeReached(uint64_t reached) noexcept {
  const std::lock_guard lock(mutex);
  return TakeIf(awaited, [&](const Awaited& one) { return one.value <= reached; });
}

// Their references are dropped without the mutex, and they are asked without it.
void TimelineWatches::State::DropUnwanted() noexcept {
  AwaitedList all = TakeReached(UINT64_MAX);
  TakeIf(all, [](const Awaited& one) { return one.IsUnwanted(); });
  const std::lock_guard lock(mutex);
  awaited.splice(awaited.end(), all);
}

bool TimelineWatches::State::EndIfIdle() noexcept {
  const std::lock_guard lock(mutex);
  ended = awaited.empty() || leaves;
  return ended;
}

// If the process ends there is no time for the end of a device.
void TimelineWatches::State::DropDevice() noexcept {
  Ref<hal_device_t> dropped;
  {
    const std::lock_guard lock(mutex);
    if (!leaves) dropped = std::move(device);
  }
  dropped = {};
  const std::lock_guard lock(mutex);
  drained = true;
}

// Signals what the timeline has reached, and fails all if the device is lost.
void TimelineWatches::State::Serve(uint64_t reached) noexcept {
  const SeparateDrain drain(&vulkan().callbacks());
  const Status status = vulkan().health().Check();
  if (status == kOk) {
    for (const Awaited& one : TakeReached(reached)) one.Signal();
    DropUnwanted();
    return;
  }
  const Failure failure = Failure::FromThread(status);
  for (const Awaited& one : TakeReached(UINT64_MAX)) one.Fail(failure);
}

void TimelineWatches::Loop(const std::shared_ptr<State>& state) noexcept {
  state->RunsOnThisThread();
  const ScopedErrorMessage keeper;
  const VulkanContext& context = state->vulkan().context();
  uint64_t reached = 0;
  while (true) {
    state->Serve(reached);
    if (state->EndIfIdle()) break;
    const LibraryThread::Rest rest;
    static_cast<void>(state->vulkan().Checked(AwaitTimelineSlice(context, state->semaphore, reached + 1, &reached)));
  }
  state->DropDevice();
}

TimelineWatches::Watches TimelineWatches::TakeEnded() {
  Watches ended;
  ended.reserve(watches_.size());
  std::erase_if(watches_, [&](std::unique_ptr<Watch>& watch) {
    if (!watch->state->HasEnded()) return false;
    ended.push_back(std::move(watch));
    return true;
  });
  return ended;
}

Status TimelineWatches::Watching(VkSemaphore semaphore, Awaited awaited, std::shared_ptr<State>* out) {
  for (const std::unique_ptr<Watch>& watch : watches_) {
    if (watch->state->semaphore != semaphore || !watch->state->TryPush(&awaited)) continue;
    *out = watch->state;
    return kOk;
  }
  watches_.reserve(watches_.size() + 1);
  auto made = std::make_unique<Watch>();
  made->state = DrainsAtExit::Make<State>();
  made->state->device = Ref<hal_device_t>::Retaining(&device_);
  made->state->semaphore = semaphore;
  made->state->TryPush(&awaited);
  HAL_TRY(
      made->thread.Start("hal-timeline", "the thread that watches a timeline", [state = made->state] { Loop(state); }));
  *out = made->state;
  watches_.push_back(std::move(made));
  return kOk;
}

Status TimelineWatches::Add(VkSemaphore semaphore, uint64_t value, hal_semaphore_list_t signals) {
  const VulkanContext& context = device_.context();
  const auto read = [&](uint64_t* out) {
    return device_.Checked(HAL_VK(context.vk(), GetSemaphoreCounterValue, context.device(), semaphore, out));
  };
  Awaited awaited;
  awaited.value = value;
  for (size_t i = 0; i < signals.count; ++i) {
    const hal_timeline_point_t& point = signals.points[i];
    awaited.points.push_back({Ref<hal_semaphore_t>::Retaining(point.semaphore), point.value});
  }
  uint64_t reached = 0;
  HAL_TRY(read(&reached));
  if (reached >= value) {
    awaited.Signal();
    return kOk;
  }
  Watches ended;  // their threads are joined without the mutex
  std::shared_ptr<State> state;
  {
    const std::lock_guard lock(mutex_);
    ended = TakeEnded();
    HAL_TRY(Watching(semaphore, std::move(awaited), &state));
  }
  // The thread may have looked before the point was there, and sleeps until the timeline moves again.
  const ScopedErrorMessage keeper;
  if (read(&reached) != kOk) return kOk;  // the thread finds out as well
  for (const Awaited& one : state->TakeReached(reached)) one.Signal();
  return kOk;
}

}  // namespace halyard::vulkan
