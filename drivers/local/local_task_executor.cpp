// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread pool: oneTBB.
//
// Debian's oneTBB is not built for ThreadSanitizer, which therefore cannot see that the library hands work from one
// thread to another. This file is the only one that includes it; it is compiled without instrumentation, and tells
// the sanitizer by hand of the two places where work crosses over: into the pool, and back out of a loop.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "local/local_executor.h"

#if defined(HALYARD_TSAN_ANNOTATE)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace halyard::local {
namespace {

#if defined(HALYARD_TSAN_ANNOTATE)
void HandOver(void* address) { __tsan_release(address); }
void TakeOver(void* address) { __tsan_acquire(address); }
#else
void HandOver(void*) {}
void TakeOver(void*) {}
#endif

class TaskExecutor final : public Executor {
 public:
  // The pool's threads come on top of the application's own, which never run our work: the arena keeps no slot for
  // them.
  explicit TaskExecutor(int thread_count) : arena_(thread_count, /*reserved_for_masters=*/0) { arena_.initialize(); }

  void Enqueue(Runnable* item) override {
    HandOver(item);
    arena_.enqueue([item] {
      TakeOver(item);
      item->Run();
    });
  }

  void ParallelFor(uint64_t count, RangeBody body) override {
    int join = 0;  // an address of this call, for the sanitizer
    HandOver(&join);
    const auto run = [&](const tbb::blocked_range<uint64_t>& range) {
      TakeOver(&join);
      body(range.begin(), range.end());
      HandOver(&join);
    };
    // Isolated: while this thread waits for the loop's end it must not pick up another action, which could take long.
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(tbb::blocked_range<uint64_t>(0, count), run); });
    TakeOver(&join);
  }

  bool parallel() const override { return true; }

 private:
  tbb::task_arena arena_;
};

// oneTBB makes no more threads than the machine has processors, for all arenas of the process together, so that a pool
// whose thread is blocked in a host call would leave none to another pool. One control lifts that, for good. Of several
// controls the lowest counts: one for each pool would hold the others back, and one that an application sets still
// does.
void AllowThreadsForAllPools() {
  // Never destroyed. It lies in static memory, as leak checkers find a pointer only if somebody keeps it.
  alignas(tbb::global_control) static std::byte memory[sizeof(tbb::global_control)];
  static const auto* const control = new (memory) tbb::global_control(tbb::global_control::max_allowed_parallelism,  //
                                                                      static_cast<size_t>(MaxTaskThreads()));
  static_cast<void>(control);
}

}  // namespace

int MaxTaskThreads() { return std::max(256, static_cast<int>(std::thread::hardware_concurrency())); }

Executor& TaskExecutorOf(int thread_count) {
  AllowThreadsForAllPools();
  // Never destroyed: a device may lose its last reference on a thread of the pool, or while the process ends.
  static auto& executors = *new std::map<int, TaskExecutor*>();  // NOLINT: leaked on purpose
  static auto& mutex = *new std::mutex();                        // protects executors
  const std::lock_guard lock(mutex);
  TaskExecutor*& executor = executors[thread_count];
  if (!executor) executor = new TaskExecutor(thread_count);
  return *executor;
}

}  // namespace halyard::local
