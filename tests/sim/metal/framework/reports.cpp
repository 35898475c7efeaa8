// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/reports.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "control.h"
#include "execution/scheduler.h"
#include "framework/library/compiled_functions.h"
#include "framework/settings.h"

namespace halyard::metal_sim {
namespace {

void PrintAtExit() {
  Records& records = TheRecords();
  const std::lock_guard lock(records.mutex);
  for (const std::string& line : records.lines) std::fprintf(stderr, "simulated Metal: %s\n", line.c_str());
  if (records.lines.empty()) return;
  std::fprintf(stderr, "simulated Metal: the seed was %llu\n", static_cast<unsigned long long>(TheSettings().seed));
  std::_Exit(97);
}

}  // namespace

// Never destroyed: threads of the framework outlive main().
Records& TheRecords() {
  static Records* const records = [] {
    auto* const made = new Records;
    made->longest_delay = TheSettings().longest_delay;
    if (TheSettings().report_at_exit) std::atexit(PrintAtExit);
    return made;
  }();
  return *records;
}

void Report(const char* rule, const std::string& text) {
  Records& records = TheRecords();
  const std::lock_guard lock(records.mutex);
  if (!records.ignored.contains(rule)) records.lines.push_back(std::string(rule) + ": " + text);
}

}  // namespace halyard::metal_sim

using halyard::metal_sim::TheRecords;

#define EXPORTED __attribute__((visibility("default")))

extern "C" {

EXPORTED void halyardSimReset() {
  TheRecords().faults.Clear();
  halyard::metal_sim::Scheduler::The().ForgetFailures();
  halyard::metal_sim::ForgetCompiledFunctions();
  const std::lock_guard lock(TheRecords().mutex);
  TheRecords().lines.clear();
}

EXPORTED void halyardSimFail(const char* name, uint64_t nth, int result) {
  TheRecords().faults.FailCall(name ? name : "", nth, result);
}
EXPORTED uint64_t halyardSimFailures() { return TheRecords().faults.Failures(); }
EXPORTED const char* halyardSimFailedCall() { return TheRecords().faults.FailedCall(); }
EXPORTED uint64_t halyardSimCalls(const char* name) { return TheRecords().faults.Calls(name ? name : ""); }

EXPORTED size_t halyardSimReport(char* text, size_t capacity) {
  std::string all;
  {
    const std::lock_guard lock(TheRecords().mutex);
    for (const std::string& line : TheRecords().lines) all += line + '\n';
  }
  if (capacity > 0) {
    const size_t size = std::min(capacity - 1, all.size());
    std::memcpy(text, all.data(), size);
    text[size] = '\0';
  }
  return all.size() + 1;
}

EXPORTED uint64_t halyardSimReports(const char* rule) {
  const std::lock_guard lock(TheRecords().mutex);
  if (!rule) return TheRecords().lines.size();
  const std::string prefix = std::string(rule) + ":";
  uint64_t count = 0;
  for (const std::string& line : TheRecords().lines) count += line.starts_with(prefix);
  return count;
}

EXPORTED void halyardSimIgnore(const char* rules) {
  const std::lock_guard lock(TheRecords().mutex);
  TheRecords().ignored.clear();
  std::string_view left = rules ? rules : "";
  while (!left.empty()) {
    const size_t end = std::min(left.find(','), left.size());
    TheRecords().ignored.emplace(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

EXPORTED uint64_t halyardSimObjects() { return static_cast<uint64_t>(TheRecords().objects.load()); }

EXPORTED void halyardSimCheckLeaks() {
  if (TheRecords().objects.load() != 0) halyard::metal_sim::Report("leak", halyard::metal_sim::LiveObjects());
}

EXPORTED void halyardSimLoseDevice(int device, uint64_t nth, int result) {
  halyard::metal_sim::Scheduler::The().FailCommandBuffer(static_cast<unsigned>(device), nth, result);
}

EXPORTED void halyardSimSetDelay(uint64_t longest) { TheRecords().longest_delay = longest; }

}  // extern "C"
