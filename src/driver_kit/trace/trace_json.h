// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiling records as Chrome trace JSON, the format that Perfetto and chrome://tracing open.
#ifndef HALYARD_DRIVER_KIT_TRACE_TRACE_JSON_H_
#define HALYARD_DRIVER_KIT_TRACE_TRACE_JSON_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "halyard/profiling.h"

namespace halyard {

/// A profiling record whose device and name are numbers.
struct TraceRecord {
  hal_profiling_record_kind_t kind;
  hal_status_t status;
  uint32_t device;  ///< index
  uint32_t name;    ///< index
  uint64_t operation;
  uint32_t queue;
  uint32_t command;
  uint64_t submit_time;
  uint64_t start_time;
  uint64_t end_time;
  hal_dim3_t workgroup_count;
  uint32_t label;  ///< index of a name; of the empty one if there is none
  uint32_t depth;
};

/// What was collected.
struct Trace {
  HostVector<HostString> devices;  ///< labels
  HostVector<HostString> names;
  HostVector<TraceRecord> records;
  uint64_t dropped = 0;  ///< records for which there was no memory
};

/// How each trace begins, and no file of another program.
inline constexpr std::string_view kTraceBeginning = "{\"writer\":\"Halyard\",\"traceEvents\":[";

/// One process per device, one thread per queue, further threads where operations of a queue overlap, and for debug
/// groups. An operation with a label is called so. Times count from the earliest one, in microseconds.
HostString FormatTrace(const Trace& trace);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_TRACE_JSON_H_
