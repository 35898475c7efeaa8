// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/action_drain.h"

namespace halyard {
namespace {

struct ThreadDrain {
  int depth = 0;
  RunnableList list;
};

thread_local constinit ThreadDrain t_drain;

}  // namespace

DrainScope::DrainScope() { ++t_drain.depth; }

DrainScope::~DrainScope() {
  ThreadDrain& drain = t_drain;
  // The scope still counts while the list runs, so that what runs only appends to it.
  if (drain.depth == 1) {
    while (Runnable* item = drain.list.Pop()) item->Run();
  }
  --drain.depth;
}

void DrainScope::Defer(Runnable* item) {
  const DrainScope scope;
  t_drain.list.Push(item);
}

}  // namespace halyard
