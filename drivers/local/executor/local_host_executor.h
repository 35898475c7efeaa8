// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The application's own threads.
#ifndef HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_HOST_EXECUTOR_H_
#define HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_HOST_EXECUTOR_H_

#include "halyard/executor.h"
#include "local/executor/local_executor.h"

namespace halyard::local {

/// Hands everything to an executor of the application, which its destructor releases once Keep() was called.
class HostExecutor final : public Executor {
 public:
  explicit HostExecutor(const hal_executor_t& functions) : functions_(functions) {}
  ~HostExecutor() override;

  /// The device was made: from here on the application waits for `release`.
  void Keep() { kept_ = true; }

  Status Enqueue(Runnable* item) override;
  Status ParallelFor(uint64_t count, RangeBody body) override;
  bool parallel() const override { return functions_.concurrency > 1 && functions_.parallel_for; }

 private:
  const hal_executor_t functions_;
  bool kept_ = false;
};

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_EXECUTOR_LOCAL_HOST_EXECUTOR_H_
