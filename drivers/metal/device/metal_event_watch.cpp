// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_event_watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/host_memory.h"
#include "base/wait_policy.h"
#include "driver_kit/object/object.h"
#include "metal/native/metal_calls.h"
#include "submission/awaited_points.h"

namespace halyard::metal {
namespace {

constexpr std::chrono::nanoseconds kInterval{kWatchPause};

}  // namespace

/// An event with what waits for it.
struct EventWatch::Event {
  Owned<NativeSharedEvent> native;
  std::shared_ptr<AwaitedPoints> points;
};

/// What the thread shares with the watch, which it may outlive.
struct EventWatch::State {
  std::mutex mutex;  // protects what follows; with it events are called, and the mutexes of points taken
  std::condition_variable changed;
  HostVector<Event> events;
  bool ends = false;

  /// With the mutex.
  std::shared_ptr<AwaitedPoints> PointsOf(NativeSharedEvent event);
  /// Finds an event whose value something waits for; false if there is none. Forgets those that nothing waits for.
  bool FindDue(std::shared_ptr<AwaitedPoints>* out_points, uint64_t* out_reached) noexcept;
};

/// What a listener keeps. Metal may keep it for as long as the event lives, so it does not hold the event.
struct EventWatch::Notice {
  std::shared_ptr<AwaitedPoints> points;
  uint64_t value = 0;
};

std::shared_ptr<AwaitedPoints> EventWatch::State::PointsOf(NativeSharedEvent event) {
  for (const Event& known : events) {
    if (known.native.get() == event) return known.points;
  }
  events.push_back({Owned<NativeSharedEvent>::Retaining(event), std::make_shared<AwaitedPoints>()});
  return events.back().points;
}

bool EventWatch::State::FindDue(std::shared_ptr<AwaitedPoints>* out_points, uint64_t* out_reached) noexcept {
  std::erase_if(events, [](const Event& event) { return event.points->empty(); });
  for (const Event& event : events) {
    *out_reached = SignaledValue(event.native.get());
    if (!event.points->IsDue(*out_reached)) continue;
    *out_points = event.points;
    return true;
  }
  return false;
}

EventWatch::EventWatch() : state_(std::make_shared<State>()) {}

EventWatch::~EventWatch() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ends = true;
    state_->changed.notify_all();
  }
  thread_.End();
}

// On a thread of Metal.
void EventWatch::OnReached(void* data) noexcept {
  const AutoreleaseScope scope;
  const auto& notice = *static_cast<const Notice*>(data);
  notice.points->Reached(notice.value);
}

void EventWatch::Loop(State& state) noexcept {
  std::unique_lock lock(state.mutex);
  while (!state.ends) {
    {
      const LibraryThread::Rest rest;
      if (state.events.empty()) {
        state.changed.wait(lock);
        continue;
      }
      state.changed.wait_for(lock, kInterval);
    }
    const AutoreleaseScope scope;
    std::shared_ptr<AwaitedPoints> points;
    uint64_t reached = 0;
    while (!state.ends && state.FindDue(&points, &reached)) {
      lock.unlock();
      points->Reached(reached);
      points = nullptr;
      lock.lock();
    }
  }
}

Status EventWatch::StartThread() {
  if (started_) return kOk;
  HAL_TRY(thread_.Start("hal-events", "events of the application", [state = state_] { Loop(*state); }));
  started_ = true;
  return kOk;
}

// A notice that comes too early is not lost: the points know what is reached.
Status EventWatch::Add(hal_device_t* device, NativeSharedEvent event, uint64_t value, hal_semaphore_list_t signals) {
  AwaitedPoints::Imports made = AwaitedPoints::Make(value, signals, Ref<hal_device_t>::Retaining(device));
  const auto notice = std::make_shared<Notice>();
  notice->value = value;
  {
    const std::lock_guard lock(state_->mutex);
    HAL_TRY(StartThread());
    notice->points = state_->PointsOf(event);
    HAL_TRY(NotifyAt(event, value, OnReached, notice));
    notice->points->Add(std::move(made));
    state_->changed.notify_all();
  }
  notice->points->Reached(0);
  return kOk;
}

}  // namespace halyard::metal
