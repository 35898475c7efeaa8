// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include <utility>

#include "base/prefetch.h"

namespace halyard {

// NULL if nothing is left.
Runnable* DrainScope::Next(Runnable** later) noexcept {
  ThreadDrain& drain = t_drain;
  if (!drain.callbacks.empty()) return drain.callbacks.Pop();
  return drain.work.empty() ? drain.long_work.Pop(later) : drain.work.Pop(later);
}

// Within the outermost scope, or at its end. It counts meanwhile, so that what runs only appends to the lists.
void DrainScope::RunDeferred() noexcept {
  ThreadDrain& drain = t_drain;
  const int drained = drain.state | 1;
  drain.state = 2;
  Runnable* later = nullptr;
  while (Runnable* const item = Next(&later)) {
    PrefetchAction(later);
    item->Run();
  }
  drain.state = drained;
}

template <class List>
void DrainScope::Append(List ThreadDrain::*list, Runnable* item) {
  const DrainScope scope;
  (t_drain.*list).Push(item);
  t_drain.state &= ~1;
}

void DrainScope::Defer(Runnable* item) { Append(&ThreadDrain::work, item); }

void DrainScope::DeferCallback(Runnable* item) {
  ++t_drain.callback_count;
  DeferAfterCallbacks(item);
}

void DrainScope::DeferAfterCallbacks(Runnable* item) {
  if (t_drain.taker) return t_drain.taker->Enqueue(item);
  Append(&ThreadDrain::callbacks, item);
}

void DrainScope::DeferLong(Runnable* item) {
  if (t_drain.taker) return t_drain.taker->Enqueue(item);
  Append(&ThreadDrain::long_work, item);
}

void DrainScope::Gather(GatheringOwner* owner, Runnable* item, Gathering* fresh) {
  Gathering* open = t_drain.open;
  while (open && open->owner_ != owner) open = open->next_open_;
  if (open) return open->items_.Push(item);
  fresh->owner_ = owner;
  fresh->items_.Push(item);
  fresh->next_open_ = std::exchange(t_drain.open, fresh);
  Defer(fresh);
}

// From here on an item that comes begins another one. What lends this to the drain may be gone once the items run.
void Gathering::Run() noexcept {
  Gathering** link = &DrainScope::t_drain.open;
  while (*link != this) link = &(*link)->next_open_;
  *link = next_open_;
  owner_->RunGathered(std::exchange(items_, {}));
}

SeparateDrain::SeparateDrain(CallTaker* taker) : around_(DrainScope::t_drain) {
  DrainScope::t_drain = {
      .state = 3, .callbacks = {}, .work = {}, .long_work = {}, .open = nullptr, .callback_count = 0, .taker = taker};
}

SeparateDrain::~SeparateDrain() {
  DrainScope::RunDeferred();
  DrainScope::t_drain = around_;
}

}  // namespace halyard
