// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/trace_rows.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace halyard {
namespace {

/// Rows of which each is taken until some time.
class Rows {
 public:
  /// The first row that is free when the span starts; takes it.
  uint32_t Take(const TraceSpan& span) {
    const auto free = std::find_if(ends_.begin(), ends_.end(), [&](uint64_t end) { return end <= span.start; });
    const auto row = static_cast<uint32_t>(free - ends_.begin());
    if (free == ends_.end()) {
      ends_.push_back(span.end);
    } else {
      *free = span.end;
    }
    return row;
  }
  uint32_t Count() const { return static_cast<uint32_t>(ends_.size()); }

 private:
  HostVector<uint64_t> ends_;
};

constexpr size_t kNone = SIZE_MAX;

/// The group around each group, as they were recorded, or kNone; groups of one operation may overlap in any way.
HostVector<size_t> OuterGroups(std::span<const TraceSpan> spans) {
  HostVector<size_t> groups;  // as they were recorded
  for (size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].is_group) groups.push_back(i);
  }
  const auto recorded = [&](size_t i) { return std::pair(spans[i].operation, spans[i].command); };
  std::ranges::sort(groups, {}, recorded);
  HostVector<size_t> outer(spans.size(), kNone);
  HostVector<size_t> open;  // outer ones first
  for (const size_t i : groups) {
    if (!open.empty() && spans[open.back()].operation != spans[i].operation) open.clear();
    if (open.size() > spans[i].depth) open.resize(spans[i].depth);
    if (!open.empty()) outer[i] = open.back();
    open.push_back(i);
  }
  return outer;
}

/// Rows in which groups nest.
class GroupRows {
 public:
  explicit GroupRows(std::span<const TraceSpan> spans) : spans_(spans), outer_(OuterGroups(spans)) {}

  uint32_t Take(size_t group) {
    uint32_t row = 0;
    while (row < rows_.size() && !HasPlace(rows_[row], group)) ++row;
    if (row == rows_.size()) rows_.emplace_back();
    rows_[row].push_back(group);
    return row;
  }
  uint32_t Count() const { return static_cast<uint32_t>(rows_.size()); }

 private:
  using Open = HostVector<size_t>;  // groups, outer ones first

  bool HasPlace(Open& open, size_t group) const {
    const TraceSpan& span = spans_[group];
    while (!open.empty() && spans_[open.back()].end <= span.start) open.pop_back();
    return open.empty() || (outer_[group] == open.back() && span.end <= spans_[open.back()].end);
  }

  const std::span<const TraceSpan> spans_;
  const HostVector<size_t> outer_;
  HostVector<Open> rows_;
};

/// An operation as the row that its dispatches may lie in.
struct Parent {
  uint32_t row;
  uint64_t end;
  uint64_t free_from;  // when the dispatches that lie there already end
};

/// Whether a dispatch has a place under its operation; takes it.
bool TakeUnder(Parent& parent, const TraceSpan& dispatch) {
  if (dispatch.start < parent.free_from || dispatch.end > parent.end) return false;
  parent.free_from = dispatch.end;
  return true;
}

}  // namespace

TraceRows AssignTraceRows(std::span<const TraceSpan> spans) {
  TraceRows result;
  result.row_of_span.resize(spans.size());
  Rows operation_rows;
  HostMap<uint64_t, Parent> parents;
  for (size_t i = 0; i < spans.size(); ++i) {
    const TraceSpan& span = spans[i];
    if (span.is_dispatch || span.is_group) continue;
    result.row_of_span[i] = operation_rows.Take(span);
    parents[span.operation] = {result.row_of_span[i], span.end, span.start};
  }
  result.operation_rows = operation_rows.Count();
  GroupRows group_rows(spans);
  for (size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].is_group) result.row_of_span[i] = result.operation_rows + group_rows.Take(i);
  }
  result.group_rows = group_rows.Count();
  const uint32_t first_dispatch_row = result.operation_rows + result.group_rows;
  Rows dispatch_rows;
  for (size_t i = 0; i < spans.size(); ++i) {
    const TraceSpan& span = spans[i];
    if (!span.is_dispatch) continue;
    const auto parent = parents.find(span.operation);
    const bool nested = parent != parents.end() && TakeUnder(parent->second, span);
    result.row_of_span[i] = nested ? parent->second.row : first_dispatch_row + dispatch_rows.Take(span);
  }
  result.rows = first_dispatch_row + dispatch_rows.Count();
  return result;
}

}  // namespace halyard
