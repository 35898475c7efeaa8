// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations may fail.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_LOOP_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_LOOP_H_

#include <atomic>
#include <mutex>

#include "base/status.h"
#include "driver_kit/object/vtable.h"
#include "local/executor/local_executor.h"

namespace halyard::local {

/// The first failure of several threads.
class FirstFailure {
 public:
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  /// Keeps `status`, unless one is kept already.
  void Keep(Status status);
  /// OK if none is kept. For one thread, which then has the failure.
  Status Take();

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // protects failure_
  Failure failure_;
};

/// Calls `body(begin, end)`, which returns a Status, with ranges that cover [0, count). The first failure, or
/// exception, is the loop's; ranges that have not begun by then are left out.
template <class Body>
Status RunLoop(Executor& executor, uint64_t count, const Body& body) {
  FirstFailure failure;
  auto run = [&](uint64_t begin, uint64_t end) {
    if (failure.failed()) return;
    if (Status status = Guard([&] { return body(begin, end); }); status != kOk) failure.Keep(status);
  };
  if (Status status = executor.ParallelFor(count, BodyOf(run)); status != kOk) failure.Keep(status);
  return failure.Take();
}

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_LOOP_H_
