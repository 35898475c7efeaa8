// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_event_watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "driver_kit/object/object.h"
#include "driver_kit/object/vtable.h"
#include "metal/native/metal_calls.h"

namespace halyard::metal {
namespace {

constexpr std::chrono::milliseconds kInterval{50};

}  // namespace

/// What the thread and listeners share; it may outlive the watch.
struct EventWatch::State {
  std::mutex mutex;  // protects what follows; a leaf, except for calls of events
  std::condition_variable changed;
  HostVector<std::shared_ptr<Import>> pending;
  bool ends = false;

  /// Whether the import was pending. Then the caller signals it.
  bool Take(const Import* import) noexcept;
  /// Takes one whose event has its value; NULL if there is none. With the mutex.
  std::shared_ptr<Import> TakeReached() noexcept;
};

struct EventWatch::Import {
  std::shared_ptr<State> state;
  uint64_t value = 0;
  Owned<NativeSharedEvent> event;
  Ref<hal_device_t> device;
  HostVector<Ref<hal_semaphore_t>> semaphores;
  HostVector<uint64_t> values;

  /// Called by the thread that took it. A block of Metal's may keep this object for longer, so it gives up all that it
  /// has.
  void Signal() noexcept;
};

bool EventWatch::State::Take(const Import* import) noexcept {
  const std::lock_guard lock(mutex);
  const auto found =
      std::find_if(pending.begin(), pending.end(), [&](const auto& other) { return other.get() == import; });
  if (found == pending.end()) return false;
  pending.erase(found);
  return true;
}

std::shared_ptr<EventWatch::Import> EventWatch::State::TakeReached() noexcept {
  const auto found = std::find_if(pending.begin(), pending.end(), [](const auto& import) {
    return SignaledValue(import->event.get()) >= import->value;
  });
  if (found == pending.end()) return nullptr;
  std::shared_ptr<Import> reached = std::move(*found);
  pending.erase(found);
  return reached;
}

void EventWatch::Import::Signal() noexcept {
  const ScopedErrorMessage keeper;
  const AutoreleaseScope scope;
  event = {};
  const Ref<hal_device_t> kept = std::move(device);
  const HostVector<Ref<hal_semaphore_t>> signalled = std::move(semaphores);
  const DrainScope drain;
  for (size_t i = 0; i < signalled.size(); ++i) {
    hal_semaphore_t* const semaphore = signalled[i].get();
    static_cast<void>(VtableOf(semaphore)->signal(semaphore, values[i]));
  }
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
  auto* const import = static_cast<Import*>(data);
  if (import->state->Take(import)) import->Signal();
}

void EventWatch::Loop(State& state) noexcept {
  std::unique_lock lock(state.mutex);
  while (!state.ends) {
    {
      const LibraryThread::Rest rest;
      if (state.pending.empty()) {
        state.changed.wait(lock);
        continue;
      }
      state.changed.wait_for(lock, kInterval);
    }
    const AutoreleaseScope scope;
    std::shared_ptr<Import> reached = state.TakeReached();
    if (!reached) continue;
    lock.unlock();
    reached->Signal();
    reached = nullptr;
    lock.lock();
  }
}

Status EventWatch::StartThread() {
  if (started_) return kOk;
  HAL_TRY(thread_.Start("hal-events", "events of the application", [state = state_] { Loop(*state); }));
  started_ = true;
  return kOk;
}

Status EventWatch::Add(hal_device_t* device, NativeSharedEvent event, uint64_t value, hal_semaphore_list_t signals) {
  const auto import = std::make_shared<Import>();
  import->state = state_;
  import->value = value;
  import->event = Owned<NativeSharedEvent>::Retaining(event);
  import->device = Ref<hal_device_t>::Retaining(device);
  for (size_t i = 0; i < signals.count; ++i) {
    import->semaphores.push_back(Ref<hal_semaphore_t>::Retaining(signals.points[i].semaphore));
    import->values.push_back(signals.points[i].value);
  }
  {
    const std::lock_guard lock(state_->mutex);
    HAL_TRY(StartThread());
    state_->pending.push_back(import);
    state_->changed.notify_all();
  }
  const Status status = NotifyAt(event, value, OnReached, import);
  if (status != kOk) state_->Take(import.get());
  return status;
}

}  // namespace halyard::metal
