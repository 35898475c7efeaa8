// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the local devices run: on the caller's thread, or on a pool.
#ifndef HALYARD_DRIVERS_LOCAL_LOCAL_EXECUTOR_H_
#define HALYARD_DRIVERS_LOCAL_LOCAL_EXECUTOR_H_

#include <cstdint>
#include <type_traits>

#include "common/action_drain.h"
#include "common/host_memory.h"

namespace halyard::local {

/// A function over a range, without the cost of std::function.
struct RangeBody {
  void (*call)(void* context, uint64_t begin, uint64_t end);
  void* context;
  void operator()(uint64_t begin, uint64_t end) const { call(context, begin, end); }
};

/// Runs actions and loops. Thread-safe.
class Executor : public HostObject {
 public:
  virtual ~Executor() = default;

  /// Runs `item` soon, on a thread of the executor; on the inline executor when the current call is about to return.
  virtual void Enqueue(Runnable* item) = 0;

  /// Calls `body` with ranges that cover [0, count) once, on several threads at a time, and returns when all are done.
  virtual void ParallelFor(uint64_t count, RangeBody body) = 0;

  /// Whether ParallelFor uses more than this thread.
  virtual bool parallel() const = 0;
};

/// A RangeBody of any callable; `callable` must outlive it.
template <class F>
RangeBody BodyOf(F& callable) {
  return {[](void* context, uint64_t begin, uint64_t end) { (*static_cast<F*>(context))(begin, end); }, &callable};
}

/// Runs everything on the thread that submits or releases it. Lives for good.
Executor& TheSyncExecutor();

/// The most threads of a pool: as many as oneTBB makes on any machine, or the machine's processors if they are more.
int MaxTaskThreads();

/// Runs everything on a pool of `thread_count` threads, which devices of the same count share. Lives for good.
Executor& TaskExecutorOf(int thread_count);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_LOCAL_EXECUTOR_H_
