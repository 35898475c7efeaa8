// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include <new>
#include <thread>
#include <utility>

#include "base/per_thread.h"
#include "base/prefetch.h"

namespace halyard {

/// A thread's own lists, until it ends.
struct DrainScope::Kept {
  static constexpr bool kOutlivesShutdown = true;

  ThreadDrain drain;
  ThreadDrain** const place = &t_drain;

  ~Kept() { *place = nullptr; }
};

// Deferring cannot fail. Without memory there is a reserve, and where even that is used up a thread waits for memory.
ThreadDrain& DrainScope::Make() noexcept {
  while (true) {
    try {
      t_drain = &PerThread<Kept>::Get().drain;
      return *t_drain;
    } catch (const std::bad_alloc&) {
      std::this_thread::yield();
    }
  }
}

// NULL if nothing is left.
Runnable* DrainScope::Next(ThreadDrain& drain, Runnable** later) noexcept {
  if (!drain.callbacks.empty()) return drain.callbacks.Pop();
  return drain.work.empty() ? drain.long_work.Pop(later) : drain.work.Pop(later);
}

// Within the outermost scope, or at its end. It counts meanwhile, so that what runs only appends to the lists.
void DrainScope::RunDeferred() noexcept {
  ThreadDrain& drain = Drained();  // stays: what changes the thread's drain meanwhile changes it back
  const int32_t drained = t_thread.drain_state | 1;
  t_thread.drain_state = 2;
  Runnable* later = nullptr;
  while (Runnable* const item = Next(drain, &later)) {
    PrefetchAction(later);
    item->Run();
  }
  t_thread.drain_state = drained;
}

template <class List>
void DrainScope::Append(List ThreadDrain::*list, Runnable* item) {
  const DrainScope scope;
  (Drained().*list).Push(item);
  t_thread.drain_state &= ~1;
}

void DrainScope::Defer(Runnable* item) { Append(&ThreadDrain::work, item); }

void DrainScope::DeferCallback(Runnable* item) {
  ++Drained().callback_count;
  DeferAfterCallbacks(item);
}

void DrainScope::DeferAfterCallbacks(Runnable* item) {
  if (t_drain && t_drain->taker) return t_drain->taker->Enqueue(item);
  Append(&ThreadDrain::callbacks, item);
}

void DrainScope::DeferLong(Runnable* item) {
  if (t_drain && t_drain->taker) return t_drain->taker->Enqueue(item);
  Append(&ThreadDrain::long_work, item);
}

void DrainScope::Gather(GatheringOwner* owner, Runnable* item, Gathering* fresh) {
  ThreadDrain& drain = Drained();
  Gathering* open = drain.open;
  while (open && open->owner_ != owner) open = open->next_open_;
  if (open) return open->items_.Push(item);
  fresh->owner_ = owner;
  fresh->items_.Push(item);
  fresh->next_open_ = std::exchange(drain.open, fresh);
  Defer(fresh);
}

// From here on an item that comes begins another one. What lends this to the drain may be gone once the items run.
void Gathering::Run() noexcept {
  Gathering** link = &DrainScope::Drained().open;
  while (*link != this) link = &(*link)->next_open_;
  *link = next_open_;
  owner_->RunGathered(std::exchange(items_, {}));
}

SeparateDrain::SeparateDrain(CallTaker* taker)
    : around_(std::exchange(DrainScope::t_drain, &own_)), state_(std::exchange(t_thread.drain_state, 3)) {
  own_.taker = taker;
}

SeparateDrain::~SeparateDrain() {
  DrainScope::RunDeferred();
  DrainScope::t_drain = around_;
  t_thread.drain_state = state_;
}

}  // namespace halyard
