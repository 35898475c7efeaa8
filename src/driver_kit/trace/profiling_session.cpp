// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/profiling_session.h"

#include "base/application_call.h"
#include "driver_kit/trace/group_times.h"

namespace halyard {
namespace {

hal_profiling_flags_t FlagOf(hal_profiling_record_kind_t kind) {
  switch (kind) {
    case HAL_PROFILING_RECORD_KIND_DISPATCH:
      return HAL_PROFILING_DISPATCHES;
    case HAL_PROFILING_RECORD_KIND_DEBUG_GROUP:
      return HAL_PROFILING_DEBUG_GROUPS;
    default:
      return HAL_PROFILING_QUEUE_OPERATIONS;
  }
}

}  // namespace

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
    if (flags_.exchange(0) == 0) return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the device is not being profiled");
    ending_ = true;
  }
  // Without the lock, which a call of the sink may be waiting for.
  for (uint32_t calls = calls_.load(); calls != 0; calls = calls_.load()) calls_.wait(calls);
  const std::lock_guard lock(mutex_);
  ending_ = false;
  return kOk;
}

void ProfilingSession::Record(const hal_profiling_record_t& record) {
  calls_.fetch_add(1);
  if (flags_.load() & FlagOf(record.kind)) {
    CallApplicationUntold("a profiling sink", [&] { sink_.record(sink_.user_data, &record); });
  }
  if (calls_.fetch_sub(1) == 1) calls_.notify_all();
}

void ProfilingSession::RecordDispatch(const OperationRecord& record) {
  if (record.groups) record.groups->Note(record.command, record.start_time, record.end_time);
  Record(record);
}

}  // namespace halyard
