// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include "base/prefetch.h"

namespace halyard {

// Within the outermost scope, or at its end. It counts meanwhile, so that what runs only appends to the lists.
void DrainScope::RunDeferred() noexcept {
  ThreadDrain& drain = t_drain;
  const int drained = drain.state | 1;
  drain.state = 2;
  Runnable* later = nullptr;
  while (Runnable* const item = drain.callbacks.empty() ? drain.work.Pop(&later) : drain.callbacks.Pop()) {
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
  if (t_drain.taker) return t_drain.taker->Enqueue(item);
  Append(&ThreadDrain::callbacks, item);
}

void DrainScope::DeferLong(Runnable* item) {
  if (t_drain.taker) return t_drain.taker->Enqueue(item);
  Defer(item);
}

SeparateDrain::SeparateDrain(CallTaker* taker) : around_(DrainScope::t_drain) {
  DrainScope::t_drain = {.state = 3, .callbacks = {}, .work = {}, .taker = taker};
}

SeparateDrain::~SeparateDrain() {
  DrainScope::RunDeferred();
  DrainScope::t_drain = around_;
}

}  // namespace halyard
