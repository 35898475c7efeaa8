// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/profiling_session.h"

#include "base/application_call.h"

namespace halyard {

Status ProfilingSession::Begin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  const std::lock_guard lock(mutex_);
  if (flags_.load() != 0 || ending_) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the device is being profiled already; end that capture first");
  }
  sink_ = *sink;
  flags_.store(flags);
  return kOk;
}

Status ProfilingSession::End() {
  {
    const std::lock_guard lock(mutex_);
    if (flags_.exchange(0) == 0) {
      return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the device is not being profiled");
    }
    ending_ = true;
  }
  // Without the lock, which a call of the sink may be waiting for.
  for (uint32_t calls = calls_.load(); calls != 0; calls = calls_.load()) calls_.wait(calls);
  const std::lock_guard lock(mutex_);
  ending_ = false;
  return kOk;
}

void ProfilingSession::Record(const hal_profiling_record_t& record) {
  const hal_profiling_flags_t kind =
      record.kind == HAL_PROFILING_RECORD_KIND_DISPATCH ? HAL_PROFILING_DISPATCHES : HAL_PROFILING_QUEUE_OPERATIONS;
  calls_.fetch_add(1);
  if (flags_.load() & kind) {
    CallApplicationUntold("a profiling sink", [&] { sink_.record(sink_.user_data, &record); });
  }
  if (calls_.fetch_sub(1) == 1) calls_.notify_all();
}

}  // namespace halyard
