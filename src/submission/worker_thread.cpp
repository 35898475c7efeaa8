// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "submission/worker_thread.h"

#include <condition_variable>

#include "submission/exit_drain.h"

namespace halyard {

struct WorkerThread::State final : DrainsAtExit {
  using DrainsAtExit::RunsOnThisThread;
  void BeginDrain() noexcept override {}
  bool IsDrained() noexcept override {
    const std::lock_guard lock(mutex);
    return !at_work && items.empty();
  }

  VendorGate* gate = nullptr;  // set before the thread starts
  std::mutex mutex;            // protects what follows; a leaf
  std::condition_variable changed;
  RunnableList items;
  bool at_work = false;
  bool stop = false;

  bool MayBegin() const { return !items.empty() && !(gate && gate->closed()); }
  void Run(Runnable& item) const noexcept {
    if (!gate) return item.Run();
    const VendorGate::Scope scope(*gate);
    item.Run();
  }
};

WorkerThread::WorkerThread(End end, VendorGate* gate) : end_(end), state_(DrainsAtExit::Make<State>()) {
  state_->gate = gate;
}

WorkerThread::~WorkerThread() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  if (end_ == End::kLeave) {
    thread_.Leave();
  } else {
    thread_.End();
  }
}

bool WorkerThread::Start() noexcept {
  try {
    std::call_once(started_, [this] {
      started_well_ =
          Succeeds(thread_.Start("hal-worker", "the device's worker thread", [state = state_] { Loop(state); }));
    });
  } catch (...) {
    return false;
  }
  return started_well_;
}

void WorkerThread::Enqueue(Runnable* item) noexcept {
  if (!Start()) {
    DrainScope::Defer(item);
    return;
  }
  // A copy: once the item is in the list it may run, and with it this object may go.
  const std::shared_ptr<State> state = state_;
  {
    const std::lock_guard lock(state->mutex);
    state->items.Push(item);
  }
  state->changed.notify_one();
}

void WorkerThread::Loop(const std::shared_ptr<State>& state) {
  state->RunsOnThisThread();
  std::unique_lock lock(state->mutex);
  while (true) {
    if (!state->stop && !state->MayBegin()) {
      const LibraryThread::Rest rest;
      state->changed.wait(lock, [&] { return state->stop || state->MayBegin(); });
    }
    Runnable* const item = state->items.Pop();
    if (!item) return;
    state->at_work = true;
    lock.unlock();
    state->Run(*item);
    lock.lock();
    state->at_work = false;
  }
}

}  // namespace halyard
