// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/drain_scope.h"

#include "base/prefetch.h"

namespace halyard {
namespace {

// initial-exec: every submission passes here, and in a shared library the default model is a call each time. It takes
// these few bytes from what the loader keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] thread_local constinit ThreadDrain t_drain;

void RunAll(ThreadDrain& drain) noexcept {
  while (true) {
    Runnable* item = drain.callbacks.Pop();
    if (!item) item = drain.work.Pop();
    if (!item) return;
    PrefetchAction(drain.work.head());
    item->Run();
  }
}

}  // namespace

DrainScope::DrainScope() { ++t_drain.depth; }

void DrainScope::Drain() noexcept {
  // The scope still counts while the lists run, so that what runs only appends to them.
  if (t_drain.depth == 1) RunAll(t_drain);
}

void DrainScope::Leave() noexcept {
  ThreadDrain& drain = t_drain;
  if (drain.depth == 1) RunAll(drain);
  --drain.depth;
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

bool DrainScope::IsOpen() { return t_drain.depth > 0; }

SeparateDrain::SeparateDrain(CallTaker* taker) : around_(t_drain) { t_drain = {1, {}, {}, taker}; }

SeparateDrain::~SeparateDrain() {
  RunAll(t_drain);
  t_drain = around_;
}

}  // namespace halyard
