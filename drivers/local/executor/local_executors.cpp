// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_executors.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/process_wide.h"
#include "local/executor/local_thread_pool.h"

namespace halyard::local {
namespace {

class SyncExecutor final : public Executor {
 public:
  Status Enqueue(Runnable* item) override {
    DrainScope::DeferLong(item);
    return kOk;
  }
  Status ParallelFor(uint64_t count, RangeBody body) override {
    body(0, count);
    return kOk;
  }
  bool parallel() const override { return false; }
};

class Pools : public HostObject {
 public:
  Status Find(int thread_count, uint64_t stack_size, Executor** out_executor) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<ThreadPool>& pool = pools_[{thread_count, stack_size}];
    if (!pool) HAL_TRY(ThreadPool::Create(thread_count, &pool, stack_size));
    *out_executor = pool.get();
    return kOk;
  }

 private:
  std::mutex mutex_;  // protects the map; held while threads are started
  HostMap<std::pair<int, uint64_t>, std::unique_ptr<ThreadPool>> pools_;
};

// Without a destructor, as it may be needed while the process ends.
union SyncExecutorStorage {
  SyncExecutor executor;
  constexpr SyncExecutorStorage() : executor() {}
  constexpr ~SyncExecutorStorage() {}  // NOLINT(modernize-use-equals-default): that one would be deleted
};
constinit SyncExecutorStorage g_sync_executor;

}  // namespace

Executor& TheSyncExecutor() { return g_sync_executor.executor; }

int MaxTaskThreads() { return std::max(256, static_cast<int>(std::thread::hardware_concurrency())); }

Status TaskExecutorOf(int thread_count, uint64_t stack_size, Executor** out_executor) {
  return ProcessWide<Pools>::Get().Find(thread_count, stack_size, out_executor);
}

}  // namespace halyard::local
