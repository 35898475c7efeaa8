// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/records.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "control.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/loss.h"
#include "vulkan/rules/everlasting.h"
#include "vulkan/vulkan_control.h"

namespace halyard::vulkan_sim {
namespace {

std::string OrEmpty(const char* text) { return text == nullptr ? "" : text; }

uint64_t Number(const char* variable, uint64_t otherwise) {
  const std::string text = OrEmpty(std::getenv(variable));
  return text.empty() ? otherwise : std::strtoull(text.c_str(), nullptr, 10);
}

constexpr int kReportedExit = 97;

// Runs when the process ends, after all destructors and handlers.
__attribute__((destructor)) void PrintAtExit() {
  if (Number("HALYARD_SIM_REPORT", 0) == 0) return;
  if (!Objects::The().HasOnly(kKind<VkInstance>)) halyardSimCheckLeaks();
  const std::string text = TheRecords().reports.Text();
  if (text.empty()) return;
  std::fprintf(stderr, "%s", text.c_str());
  std::fflush(nullptr);
  _exit(kReportedExit);
}

}  // namespace

Records::Records() : longest_delay(Number("HALYARD_SIM_DELAY", 0)), chance(Number("HALYARD_SIM_SEED", 1), 0) {
  reports.Ignore(OrEmpty(std::getenv("HALYARD_SIM_IGNORE")));
}

Records& TheRecords() { return Everlasting<Records>(); }

void Report(const char* rule, const std::string& text) { TheRecords().reports.Add(rule, text); }

void NoteSubgroupSize(uint32_t size) { TheRecords().subgroup_size = size; }

void WatchExit() {
  static std::once_flag watched;
  std::call_once(watched, [] { static_cast<void>(std::atexit([] { TheRecords().inside_calls.BeginExit(); })); });
}

void Linger() {
  Records& records = TheRecords();
  const uint64_t longest = records.longest_delay;
  if (longest == 0) return;
  uint64_t delay = 0;
  {
    const std::lock_guard lock(records.mutex);
    delay = records.chance.DelayMicroseconds(longest);
  }
  if (delay != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
}

void RunInside(const char* call) {
  Records& records = TheRecords();
  std::function<void()> inside;
  {
    const std::lock_guard lock(records.mutex);
    if (records.inside_call != call) return;
    records.inside_call.clear();
    inside = std::exchange(records.inside, nullptr);
  }
  inside();
}

}  // namespace halyard::vulkan_sim

using halyard::vulkan_sim::Objects;
using halyard::vulkan_sim::OrEmpty;
using halyard::vulkan_sim::TheRecords;

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void halyardSimReset() {
  TheRecords().faults.Clear();
  TheRecords().reports.Clear();
  halyard::vulkan_sim::ForgetPlannedLosses();
  const std::lock_guard lock(TheRecords().mutex);
  TheRecords().inside_call.clear();
}

EXPORTED void halyardSimFail(const char* name, uint64_t nth, int result) {
  TheRecords().faults.FailCall(OrEmpty(name), nth, result);
}
EXPORTED void halyardSimFailCalls(const char* name, int result) {
  TheRecords().faults.FailCalls(OrEmpty(name), result);
}
EXPORTED uint64_t halyardSimFailures() { return TheRecords().faults.Failures(); }
EXPORTED const char* halyardSimFailedCall() { return TheRecords().faults.FailedCall(); }
EXPORTED uint64_t halyardSimCalls(const char* name) { return TheRecords().faults.Calls(OrEmpty(name)); }

EXPORTED size_t halyardSimReport(char* text, size_t capacity) { return TheRecords().reports.Write(text, capacity); }
EXPORTED uint64_t halyardSimReports(const char* rule) { return TheRecords().reports.Count(OrEmpty(rule)); }
EXPORTED void halyardSimIgnore(const char* rules) { TheRecords().reports.Ignore(OrEmpty(rules)); }

EXPORTED void halyardSimReturnLate(const char* name, uint64_t milliseconds) {
  TheRecords().inside_calls.ReturnLate(OrEmpty(name), milliseconds);
}
EXPORTED uint64_t halyardSimThreadsInside(const char* name) { return TheRecords().inside_calls.Threads(OrEmpty(name)); }

EXPORTED void halyardSimSetDelay(uint64_t longest) { TheRecords().longest_delay = longest; }

EXPORTED uint64_t halyardSimObjects() { return Objects::The().Count(); }
EXPORTED void halyardSimCheckLeaks() {
  const std::string left = Objects::The().Text();
  if (!left.empty()) halyard::vulkan_sim::Report("leak", left);
}

EXPORTED uint32_t halyardSimSubgroupSize() { return TheRecords().subgroup_size; }

EXPORTED void halyardSimInside(const char* name, void (*function)(void*), void* context) {
  const std::lock_guard lock(TheRecords().mutex);
  TheRecords().inside_call = OrEmpty(name);
  TheRecords().inside = [function, context] { function(context); };
}
