// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/profiling.h"

#include "core/device_queries.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

constexpr hal_profiling_flags_t kKnownProfilingFlags =
    HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES | HAL_PROFILING_DEBUG_GROUPS;

}  // namespace

Status BeginDeviceProfiling(hal_device_t* device, hal_profiling_flags_t flags, const hal_profiling_sink_t* given) {
  HAL_TRY(CheckNotNull("device", device));
  HAL_TRY(CheckFlags("flags", flags, kKnownProfilingFlags));
  if (flags == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "flags is 0; say what to record");
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  HAL_TRY(ReadStruct("sink", given, &sink));
  if (!sink.record) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "sink->record is NULL");
  return FromC(VtableOf(device)->profiling_begin(device, flags, &sink));
}

Status EndDeviceProfiling(hal_device_t* device) {
  HAL_TRY(CheckNotNull("device", device));
  return FromC(VtableOf(device)->profiling_end(device));
}

}  // namespace halyard

hal_status_t hal_device_profiling_begin(hal_device_t* device, hal_profiling_flags_t flags,
                                        const hal_profiling_sink_t* sink) {
  return halyard::Public([&] { return halyard::BeginDeviceProfiling(device, flags, sink); });
}

hal_status_t hal_device_profiling_end(hal_device_t* device) {
  return halyard::Public([&] { return halyard::EndDeviceProfiling(device); });
}
