// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of a queue can be drawn in one row of a trace.
#ifndef HALYARD_DRIVER_KIT_TRACE_TRACE_ROWS_H_
#define HALYARD_DRIVER_KIT_TRACE_TRACE_ROWS_H_

#include <cstdint>
#include <span>

#include "base/host_memory.h"

namespace halyard {

/// An interval in the trace of one queue, in nanoseconds; `end` is not before `start`.
struct TraceSpan {
  uint64_t start;
  uint64_t end;
  uint64_t operation;     ///< number of the queue operation
  bool is_dispatch;       ///< a part of that operation; else the operation itself
  bool is_group = false;  ///< or a debug group of that operation
  uint32_t command = 0;   ///< of a group: which command of the recording began it
  uint32_t depth = 0;     ///< of a group: how many are around it
};

/// A row for each span, numbered from 0: first those of operations, then those of groups, then those of dispatches that
/// have no place under their operation.
struct TraceRows {
  HostVector<uint32_t> row_of_span;
  uint32_t operation_rows = 0;
  uint32_t group_rows = 0;
  uint32_t rows = 0;
};

/// Gives every span a row such that the spans of a row nest: viewers draw no row in which two overlap otherwise.
/// Operations share a row only if one ends before the other begins. A dispatch lies under its operation if it is
/// within it and does not overlap another dispatch there. A group lies under the group around it, or in a row that is
/// free. `spans` must be sorted by start, longer ones first, and outer groups before inner ones.
TraceRows AssignTraceRows(std::span<const TraceSpan> spans);

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_TRACE_TRACE_ROWS_H_
