// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/profiling_session.h"

#include <mutex>

namespace halyard {

Status ProfilingSession::Begin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  const std::lock_guard lock(mutex_);
  if (flags_.load(std::memory_order_relaxed) != 0) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the device is being profiled already; end that capture first");
  }
  sink_ = *sink;
  flags_.store(flags, std::memory_order_relaxed);
  return kOk;
}

Status ProfilingSession::End() {
  const std::lock_guard lock(mutex_);
  if (flags_.exchange(0, std::memory_order_relaxed) == 0) {
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the device is not being profiled");
  }
  sink_ = {};
  return kOk;
}

void ProfilingSession::Record(const hal_profiling_record_t& record) {
  const std::shared_lock lock(mutex_);
  const hal_profiling_flags_t kind =
      record.kind == HAL_PROFILING_RECORD_KIND_DISPATCH ? HAL_PROFILING_DISPATCHES : HAL_PROFILING_QUEUE_OPERATIONS;
  if (flags_.load(std::memory_order_relaxed) & kind) sink_.record(sink_.user_data, &record);
}

}  // namespace halyard
