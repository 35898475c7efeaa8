// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/process.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "control.h"
#include "stream_api/attributes.h"

namespace halyard::sim {
namespace {

// What HALYARD_SIM_FAIL says: n, or n:NAME of a result.
void PlanFault(const std::string& text) {
  if (text.empty()) return;
  const size_t colon = text.find(':');
  uint64_t nth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()), nth);
  const std::optional<int> result = colon == std::string::npos ? kUnknownResult : VendorResult(text.substr(colon + 1));
  if (error == std::errc() && end == text.data() + std::min(colon, text.size()) && result) {
    Runtime::Get().faults.FailCall("", nth, *result);
  } else {
    std::fprintf(stderr, "halyard sim: HALYARD_SIM_FAIL is '%s', not a number with a result's name\n", text.c_str());
  }
}

constexpr int kReportedExit = 97;

// Waits for threads that still release objects when the process ends, so that only what stays permanently is reported
// as a leak. The process's own wait for them is too short on a loaded machine, and they release nothing after it.
void AwaitLastObjects() {
  Runtime& runtime = Runtime::Get();
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const auto all_gone = [&] {
    const Lock lock(runtime.mutex);
    return runtime.CountObjects() == 0;
  };
  while (!all_gone() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The vendors' libraries shut down by a handler of atexit() that their initialisation registers: later calls, as by the
// destructors of globals that are older, answer that.
void ShutDown() {
  Runtime& runtime = Runtime::Get();
  TheCallsInside().BeginExit();
  const Lock lock(runtime.mutex);
  runtime.ShutDown();
}

// Runs when the process ends, after all destructors and handlers.
__attribute__((destructor)) void ReportAtExit() {
  Runtime& runtime = Runtime::Get();
  const Lock lock(runtime.mutex);
  if (runtime.settings.report_at_exit == 0) return;
  runtime.ReportLeaks();
  const std::string text = runtime.reports.Text();
  std::fprintf(stderr, "%s", text.c_str());
  if (runtime.settings.report_at_exit == 1 || text.empty()) return;
  std::fflush(nullptr);
  _exit(kReportedExit);
}

}  // namespace

Error StartLibrary() {
  Runtime& runtime = Runtime::Get();
  if (runtime.shut_down) return Error::kDeinitialized;
  if (runtime.settings.device_count == 0) return Error::kNoDevice;
  if (runtime.started()) return Error::kSuccess;
  runtime.Start();
  runtime.rules = VendorRules();
  if (std::atexit(ShutDown) != 0) return Error::kOutOfMemory;
  StartAttributes();
  PlanFault(runtime.settings.fail);
  return Error::kSuccess;
}

// The newest handler of exit() runs first. Threads of a driver are at work only after this.
void NoteFirstWork() {
  static std::once_flag noted;
  if (Runtime::Get().settings.report_at_exit == 0) return;
  std::call_once(noted, [] { static_cast<void>(std::atexit(AwaitLastObjects)); });
}

int LibraryVersion(int standard) {
  const int version = Runtime::Get().settings.driver_version;
  return version == 0 ? standard : version;
}

}  // namespace halyard::sim

// These of control.h concern what only this folder knows.

__attribute__((visibility("default"))) void halyardSimSetVersion(int version) {
  halyard::sim::Runtime& runtime = halyard::sim::Runtime::Get();
  const halyard::sim::Lock lock(runtime.mutex);
  runtime.settings.driver_version = version;
  runtime.rules = halyard::sim::VendorRules();
}

__attribute__((visibility("default"))) void halyardSimReturnLate(const char* name, uint64_t milliseconds) {
  halyard::sim::TheCallsInside().ReturnLate(name, milliseconds);
}

__attribute__((visibility("default"))) uint64_t halyardSimThreadsInside(const char* name) {
  return halyard::sim::TheCallsInside().Threads(name);
}

__attribute__((visibility("default"))) void halyardSimSetArchitecture(const char* architecture) {
  halyard::sim::Runtime& runtime = halyard::sim::Runtime::Get();
  const halyard::sim::Lock lock(runtime.mutex);
  runtime.settings.architecture = architecture;
}
