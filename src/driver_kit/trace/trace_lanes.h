// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of a queue can be drawn in one row of a trace.
#ifndef HALYARD_DRIVER_KIT_TRACE_TRACE_LANES_H_
#define HALYARD_DRIVER_KIT_TRACE_TRACE_LANES_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"

namespace halyard {

/// An interval in the trace of one queue, in nanoseconds; `end` is not before `start`.
struct TraceSpan {
  uint64_t start;
  uint64_t end;
  uint64_t operation;  ///< number of the queue operation
  bool is_dispatch;    ///< a part of that operation; else the operation itself
};

/// A row for each span, numbered from 0: first those of operations, then those of dispatches that have no place under
/// their operation.
struct TraceLanes {
  HostVector<uint32_t> lane_of_span;
  uint32_t operation_lanes = 0;
  uint32_t lanes = 0;
};

/// Gives every span a row such that the spans of a row nest: viewers draw no row in which two overlap otherwise.
/// Operations share a row only if one ends before the other begins. A dispatch lies under its operation if it is
/// within it and does not overlap another dispatch there. `spans` must be sorted by start, longer ones first.
TraceLanes AssignTraceLanes(std::span<const TraceSpan> spans);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_TRACE_LANES_H_
