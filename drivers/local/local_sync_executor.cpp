// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/local_executor.h"

namespace halyard::local {
namespace {

class SyncExecutor final : public Executor {
 public:
  void Enqueue(Runnable* item) override { DrainScope::DeferLong(item); }
  void ParallelFor(uint64_t count, RangeBody body) override { body(0, count); }
  bool parallel() const override { return false; }
};

}  // namespace

Executor& TheSyncExecutor() {
  static auto& executor = *new SyncExecutor();  // NOLINT: leaked on purpose, as it may be needed while the process ends
  return executor;
}

}  // namespace halyard::local
