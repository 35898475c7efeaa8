// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/action_drain.h"

#include "common/prefetch.h"

namespace halyard {
namespace {

struct ThreadDrain {
  int depth = 0;
  RunnableList list;
};

// initial-exec: every submission passes here, and in a shared library the default model is a call each time. It takes
// these few bytes from what the loader keeps for libraries that are loaded late.
[[gnu::tls_model("initial-exec")]] thread_local constinit ThreadDrain t_drain;

}  // namespace

DrainScope::DrainScope() { ++t_drain.depth; }

int DrainScope::Depth() { return t_drain.depth; }

DrainScope::~DrainScope() {
  ThreadDrain& drain = t_drain;
  // The scope still counts while the list runs, so that what runs only appends to it.
  if (drain.depth == 1) {
    while (Runnable* item = drain.list.Pop()) {
      PrefetchAction(drain.list.head());
      item->Run();
    }
  }
  --drain.depth;
}

void DrainScope::Defer(Runnable* item) {
  const DrainScope scope;
  t_drain.list.Push(item);
}

}  // namespace halyard
