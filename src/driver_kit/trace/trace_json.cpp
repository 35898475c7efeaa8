// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/trace_json.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <tuple>
#include <utility>

#include "driver_kit/trace/json_text.h"
#include "driver_kit/trace/trace_rows.h"

namespace halyard {
namespace {

bool IsDispatch(const TraceRecord& record) { return record.kind == HAL_PROFILING_RECORD_KIND_DISPATCH; }
bool IsGroup(const TraceRecord& record) { return record.kind == HAL_PROFILING_RECORD_KIND_DEBUG_GROUP; }

const char* Category(const TraceRecord& record) {
  return IsDispatch(record) ? "dispatch" : IsGroup(record) ? "group" : "queue";
}

/// By device and queue, then as rows are assigned: by start, longer ones first, operations before their dispatches,
/// outer groups before inner ones.
bool ComesBefore(const TraceRecord& a, const TraceRecord& b) {
  return std::make_tuple(a.device, a.queue, a.start_time, b.end_time, IsDispatch(a), a.depth) <
         std::make_tuple(b.device, b.queue, b.start_time, a.end_time, IsDispatch(b), b.depth);
}

/// The records in order, with times that make sense even if a device's clock does not: submit <= start <= end.
HostVector<TraceRecord> SortedRecords(const HostVector<TraceRecord>& given) {
  HostVector<TraceRecord> records(given);
  for (TraceRecord& record : records) {
    record.end_time = std::max(record.start_time, record.end_time);
    record.submit_time = std::min(record.submit_time, record.start_time);
  }
  std::stable_sort(records.begin(), records.end(), ComesBefore);
  return records;
}

uint64_t EarliestStart(const HostVector<TraceRecord>& records) {
  uint64_t earliest = std::numeric_limits<uint64_t>::max();
  for (const TraceRecord& record : records) earliest = std::min(earliest, record.start_time);
  return records.empty() ? 0 : earliest;
}

/// Puts a trace together, event by event.
class TraceText {
 public:
  TraceText(const Trace& trace, uint64_t origin) : trace_(trace), origin_(origin) {}

  void AddDevice(uint32_t device);
  void AddRow(uint32_t device, uint32_t thread, std::string_view name);
  void AddRecord(const TraceRecord& record, uint32_t thread);
  HostString Finish();

 private:
  void BeginEvent(char phase, uint32_t device, uint32_t thread, std::string_view name);
  void AddMetadata(uint32_t device, uint32_t thread, std::string_view kind, std::string_view argument);
  void AddKey(std::string_view key);
  void AddNumber(std::string_view key, uint64_t number);
  void AddText(std::string_view key, std::string_view text);
  void AddTime(std::string_view key, uint64_t nanoseconds);

  const Trace& trace_;
  uint64_t origin_;
  HostString text_{kTraceBeginning};
};

void TraceText::AddKey(std::string_view key) {
  if (text_.back() != '{') text_.push_back(',');
  AppendJsonString(key, &text_);
  text_.push_back(':');
}

void TraceText::AddNumber(std::string_view key, uint64_t number) {
  std::array<char, 24> digits;
  std::snprintf(digits.data(), digits.size(), "%" PRIu64, number);
  AddKey(key);
  text_.append(digits.data());
}

void TraceText::AddText(std::string_view key, std::string_view text) {
  AddKey(key);
  AppendJsonString(text, &text_);
}

void TraceText::AddTime(std::string_view key, uint64_t nanoseconds) {
  AddKey(key);
  AppendJsonMicroseconds(nanoseconds, &text_);
}

/// Devices and threads count from 1 in a trace, as 0 names the idle process.
void TraceText::BeginEvent(char phase, uint32_t device, uint32_t thread, std::string_view name) {
  text_.append(text_.back() == '[' ? "\n{" : ",\n{");
  AddText("ph", {&phase, 1});
  AddNumber("pid", uint64_t{device} + 1);
  AddNumber("tid", uint64_t{thread} + 1);
  AddText("name", name);
}

void TraceText::AddMetadata(uint32_t device, uint32_t thread, std::string_view kind, std::string_view argument) {
  BeginEvent('M', device, thread, kind);
  AddKey("args");
  text_.push_back('{');
  AddText("name", argument);
  text_.append("}}");
}

void TraceText::AddDevice(uint32_t device) { AddMetadata(device, 0, "process_name", trace_.devices[device]); }

void TraceText::AddRow(uint32_t device, uint32_t thread, std::string_view name) {
  AddMetadata(device, thread, "thread_name", name);
  BeginEvent('M', device, thread, "thread_sort_index");
  AddKey("args");
  text_.push_back('{');
  AddNumber("sort_index", thread);
  text_.append("}}");
}

void TraceText::AddRecord(const TraceRecord& record, uint32_t thread) {
  const HostString& label = trace_.names[record.label];
  HostString name = trace_.names[record.name];
  const bool names_operation = !label.empty() && !IsDispatch(record) && !IsGroup(record);
  if (names_operation) name = label + " (" + name + ")";
  BeginEvent('X', record.device, thread, name);
  AddText("cat", Category(record));
  AddTime("ts", record.start_time - origin_);
  AddTime("dur", record.end_time - record.start_time);
  AddKey("args");
  text_.push_back('{');
  AddNumber("operation", record.operation);
  AddText("status", hal_status_name(record.status));
  AddTime("queued_us", record.start_time - record.submit_time);
  if (!label.empty()) AddText("label", label);
  if (IsDispatch(record)) {
    std::array<char, 40> count;
    const hal_dim3_t& grid = record.workgroup_count;
    std::snprintf(count.data(), count.size(), "%ux%ux%u", grid.x, grid.y, grid.z);
    AddText("workgroups", count.data());
  }
  if (IsDispatch(record) || IsGroup(record)) AddNumber("command", record.command);
  text_.append("}}");
}

HostString TraceText::Finish() {
  text_.append("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{");
  AddText("clock", "CLOCK_MONOTONIC");
  AddNumber("origin_ns", origin_);
  AddNumber("dropped_records", trace_.dropped);
  text_.append("}}\n");
  return std::move(text_);
}

HostString RowName(uint32_t queue, uint32_t row, const TraceRows& rows) {
  const uint32_t dispatch_row = rows.operation_rows + rows.group_rows;
  const bool dispatches = row >= dispatch_row;
  const bool groups = !dispatches && row >= rows.operation_rows;
  const uint32_t index = row - (dispatches ? dispatch_row : groups ? rows.operation_rows : 0);
  std::array<char, 64> name;
  const char* const what = dispatches ? " dispatches" : groups ? " groups" : "";
  if (index == 0) {
    std::snprintf(name.data(), name.size(), "queue %u%s", queue, what);
  } else {
    std::snprintf(name.data(), name.size(), "queue %u%s (%u)", queue, what, index + 1);
  }
  return name.data();
}

/// Adds all records of one queue, on threads from `first_thread` on; returns how many threads they take.
uint32_t AddQueue(std::span<const TraceRecord> records, uint32_t first_thread, TraceText* text) {
  HostVector<TraceSpan> spans;
  spans.reserve(records.size());
  for (const TraceRecord& record : records) {
    spans.push_back({record.start_time, record.end_time, record.operation, IsDispatch(record), IsGroup(record),
                     record.command, record.depth});
  }
  const TraceRows rows = AssignTraceRows(spans);
  const TraceRecord& first = records.front();
  for (uint32_t row = 0; row < rows.rows; ++row) {
    text->AddRow(first.device, first_thread + row, RowName(first.queue, row, rows));
  }
  for (size_t i = 0; i < records.size(); ++i) text->AddRecord(records[i], first_thread + rows.row_of_span[i]);
  return rows.rows;
}

}  // namespace

HostString FormatTrace(const Trace& trace) {
  const HostVector<TraceRecord> records = SortedRecords(trace.records);
  TraceText text(trace, EarliestStart(records));
  for (uint32_t device = 0; device < trace.devices.size(); ++device) text.AddDevice(device);
  uint32_t next_thread = 0;
  for (auto first = records.begin(); first != records.end();) {
    const auto last = std::find_if(first, records.end(), [&](const TraceRecord& record) {
      return record.device != first->device || record.queue != first->queue;
    });
    next_thread += AddQueue({first, last}, next_thread, &text);
    first = last;
  }
  return text.Finish();
}

}  // namespace halyard
