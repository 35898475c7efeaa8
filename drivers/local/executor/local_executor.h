// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the local devices run: on the caller's thread, on a pool of threads, or on the application's own threads.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTOR_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTOR_H_

#include <cstdint>

#include "base/drain_scope.h"
#include "base/host_memory.h"
#include "base/status.h"

namespace halyard::local {

/// A function over a range, without the cost of std::function. Must not throw.
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
  /// A failure means that it does not, and never will.
  virtual Status Enqueue(Runnable* item) = 0;

  /// Calls `body` with ranges that cover [0, count) once, on several threads at a time, and returns when all are done.
  /// A failure means that parts may be missing.
  virtual Status ParallelFor(uint64_t count, RangeBody body) = 0;

  /// Whether ParallelFor uses more than this thread.
  virtual bool parallel() const = 0;
};

/// A RangeBody of any callable; `callable` must outlive it.
template <class F>
RangeBody BodyOf(F& callable) {
  return {[](void* context, uint64_t begin, uint64_t end) { (*static_cast<F*>(context))(begin, end); }, &callable};
}

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_EXECUTOR_H_
