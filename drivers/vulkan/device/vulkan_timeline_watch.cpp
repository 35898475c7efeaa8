// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_timeline_watch.h"

#include <utility>

#include "base/drain_scope.h"
#include "submission/exit_drain.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan/native/vulkan_timeline.h"

namespace halyard::vulkan {
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
  AwaitedPoints awaited;
  std::mutex mutex;      // protects what follows; the mutex of the points is taken with it
  bool leaves = false;   // the process ends
  bool ended = false;    // the thread looks at the timeline no more
  bool drained = false;  // and has no device any more

  VulkanDevice& vulkan() const { return *static_cast<VulkanDevice*>(device.get()); }
  bool TryAdd(AwaitedPoints::Imports& made) {
    const std::lock_guard lock(mutex);
    if (!ended) awaited.Add(std::move(made));
    return !ended;
  }
  void Serve(uint64_t reached) noexcept;
  bool EndIfIdle() noexcept;
  void DropDevice() noexcept;
};

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
  if (status != kOk) return awaited.Fail(Failure(status));
  awaited.Reached(reached);
  awaited.DropUnwanted();
}

void TimelineWatches::Loop(const std::shared_ptr<State>& state) noexcept {
  state->RunsOnThisThread();
  const VulkanContext& context = state->vulkan().context();
  uint64_t reached = 0;
  while (true) {
    state->Serve(reached);
    if (state->EndIfIdle()) break;
    const LibraryThread::Rest rest;
    state->vulkan().Checked(AwaitTimelineSlice(context, state->semaphore, reached + 1, &reached)).Ignore();
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

std::shared_ptr<TimelineWatches::State> TimelineWatches::AddToWatch(VkSemaphore semaphore,
                                                                    AwaitedPoints::Imports& made) {
  for (const std::unique_ptr<Watch>& watch : watches_) {
    if (watch->state->semaphore == semaphore && watch->state->TryAdd(made)) return watch->state;
  }
  return nullptr;
}

Status TimelineWatches::StartWatch(VkSemaphore semaphore, AwaitedPoints::Imports& made, std::shared_ptr<State>* out) {
  watches_.reserve(watches_.size() + 1);
  auto watch = std::make_unique<Watch>();
  watch->state = DrainsAtExit::Make<State>();
  watch->state->device = Ref<hal_device_t>::Retaining(&device_);
  watch->state->semaphore = semaphore;
  watch->state->TryAdd(made);
  HAL_TRY(watch->thread.Start("hal-timeline", "the thread that watches a timeline",
                              [state = watch->state] { Loop(state); }));
  *out = watch->state;
  watches_.push_back(std::move(watch));
  return kOk;
}

// A timeline that nothing watches and that is there already needs no thread.
Status TimelineWatches::Add(VkSemaphore semaphore, uint64_t value, hal_semaphore_list_t signals) {
  const VulkanContext& context = device_.context();
  const auto read = [&](uint64_t* out) {
    return device_.Checked(HAL_VK(context.vk(), GetSemaphoreCounterValue, context.device(), semaphore, out));
  };
  AwaitedPoints::Imports made = AwaitedPoints::Make(value, signals, {});
  uint64_t reached = 0;
  HAL_TRY(read(&reached));
  Watches ended;  // their threads are joined without the mutex
  std::shared_ptr<State> state;
  {
    const std::lock_guard lock(mutex_);
    ended = TakeEnded();
    state = AddToWatch(semaphore, made);
    if (!state && reached < value) HAL_TRY(StartWatch(semaphore, made, &state));
  }
  if (!state) {
    AwaitedPoints now;
    now.Add(std::move(made));
    now.Reached(reached);
    return kOk;
  }
  // The thread may have looked before the point was there, and sleeps until the timeline moves again.
  read(&reached).Ignore();  // if that fails the thread finds out as well
  state->awaited.Reached(reached);
  return kOk;
}

}  // namespace halyard::vulkan
