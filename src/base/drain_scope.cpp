// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include "base/prefetch.h"

namespace halyard {

void DrainScope::RunDeferred() noexcept {
  ThreadDrain& drain = t_drain;
  while (true) {
    Runnable* item = drain.callbacks.Pop();
    if (!item) item = drain.work.Pop();
    if (!item) return;
    PrefetchAction(drain.work.head());
    item->Run();
  }
}

void DrainScope::Defer(Runnable* item) {
  const DrainScope scope;
  t_drain.work.Push(item);
}

void DrainScope::DeferCallback(Runnable* item) {
  const DrainScope scope;
  if (CallTaker* const taker = t_drain.taker) return taker->Enqueue(item);
  t_drain.callbacks.Push(item);
}

void DrainScope::DeferLong(Runnable* item) {
  const DrainScope scope;
  if (CallTaker* const taker = t_drain.taker) return taker->Enqueue(item);
  t_drain.work.Push(item);
}

SeparateDrain::SeparateDrain(CallTaker* taker) : around_(DrainScope::t_drain) {
  DrainScope::t_drain = {1, {}, {}, taker};
}

SeparateDrain::~SeparateDrain() {
  DrainScope::RunDeferred();
  DrainScope::t_drain = around_;
}

}  // namespace halyard
