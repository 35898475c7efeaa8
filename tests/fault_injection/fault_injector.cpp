// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/fault_injector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "cts/callbacks.h"
#include "fault_injection/hang_guard.h"
#include "fault_injection/run_checks.h"
#include "fault_injection/vendor.h"
#include "stream_drivers/vendor.h"

namespace halyard::fault_injection {
namespace {

constexpr size_t kMostComplaints = 20;

void RunScenario(const Scenario& scenario, Witness& witness) {
  try {
    scenario.run(witness);
  } catch (const std::exception& error) {
    witness.Caught(error.what());
  }
}

const sim::SimControl& Simulator() { return interop::vendor::Control(); }

std::string FailedCall() { return Simulator().Failures() == 0 ? std::string() : Simulator().FailedCall(); }

/// Waits until all devices are closed, as the last work may end on threads of the library.
void WaitUntilOver(uint64_t patience) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience);
  const auto is_over = [] { return IsClosed(FailedCall(), ObjectsLeftBy(FailedCall())); };
  while (!is_over() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// How often each function was called.
std::map<std::string, uint64_t> CallsByFunction() {
  std::map<std::string, uint64_t> calls;
  for (const char* function : TestedVendor().functions) {
    if (const uint64_t count = Simulator().Calls(function); count > 0) calls[function] = count;
  }
  if (const Vendor& vendor = TestedVendor(); !vendor.work.empty()) {
    calls[std::string(vendor.work)] = Simulator().Calls(std::string(vendor.makes_work).c_str());
  }
  return calls;
}

/// What was reported since the last reset, one breach a line.
std::string Reports() {
  std::string text(Simulator().Report(nullptr, 0), '\0');
  Simulator().Report(text.data(), text.size());
  text.pop_back();
  return text;
}

std::string DriverOf(const Conditions& conditions) {
  return conditions.driver.empty() ? interop::vendor::kNames.driver : conditions.driver;
}

/// The call that is to fail in a run: the n-th of a function; none for 0.
struct Target {
  std::string function;
  uint64_t nth = 0;
};

std::string Describe(const Scenario& scenario, const Conditions& conditions, const Injection& injection,
                     const Target& target) {
  std::string text = std::string(scenario.name) + " on " + DriverOf(conditions) + "://0?" + conditions.parameters + scenario.parameters;
  if (target.nth == 0) return text + ", no call made to fail";
  return text + ", call " + std::to_string(target.nth) + " of " + target.function + " made to answer " +
         injection.vendor_name;
}

bool IsWork(const Target& target) { return !target.function.empty() && target.function == TestedVendor().work; }

void Plan(const Target& target, const Injection& injection) {
  if (IsWork(target)) {
    Simulator().LoseDevice(0, target.nth, injection.result);
  } else {
    Simulator().Fail(target.function.c_str(), target.nth, injection.result);
  }
}

bool IsHang(const std::string& failure) { return failure.find(": DEADLINE_EXCEEDED: ") != std::string::npos; }

/// What a run was like.
struct Run {
  std::string wrong;                      ///< empty if nothing is
  bool hit = false;                       ///< whether its target was called, and so failed
  std::map<std::string, uint64_t> calls;  ///< that it made of each function, at least until it was checked
};

/// Begins anew, as a library of the version in which the vendor tells of a loss.
void PrepareLibrary(const Conditions& conditions, const Injection& injection) {
  Simulator().Reset();
  Simulator().SetVersion(injection.status == HAL_STATUS_DEVICE_LOST ? TestedVendor().version_of_loss : 0);
  Simulator().SetDelay(conditions.delay);
}

Run RunOnce(const Scenario& scenario, const Conditions& conditions, const Injection& injection, const Target& target) {
  const std::string description = Describe(scenario, conditions, injection, target);
  const HangGuard guard(description, 4 * conditions.patience);
  cts::kForever = conditions.patience;
  PrepareLibrary(conditions, injection);
  const uintptr_t current = interop::vendor::WhatIsCurrent();
  Simulator().Reset();
  Plan(target, injection);
  Evidence evidence;
  {
    Witness witness(DriverOf(conditions), conditions.parameters + scenario.parameters);
    RunScenario(scenario, witness);
    evidence.failures = witness.failures();
    evidence.wrong_results = witness.wrong_results();
  }
  {
    // A callback owns what it uses: a lost device releases memory after it has reported the loss.
    const testing::ScopedTrace trace(__FILE__, __LINE__, description);
    cts::ExpectAllCallbacksCalled();
  }
  for (const std::string& failure : evidence.failures) {
    if (IsHang(failure)) return {.wrong = description + ": hangs: '" + failure + "'", .hit = true, .calls = {}};
  }
  Join();
  WaitUntilOver(conditions.patience);
  Run run;
  run.calls = CallsByFunction();
  Simulator().Fail(nullptr, 0, 0);
  evidence.objects = Simulator().Objects();
  evidence.failed_call = IsWork(target) ? target.function : FailedCall();
  evidence.scenario = &scenario;
  evidence.injection = &injection;
  evidence.reports = Reports();
  evidence.same_context = interop::vendor::WhatIsCurrent() == current;
  evidence.error_left = interop::vendor::LastError() != 0;
  run.hit = !evidence.failed_call.empty();
  Simulator().Forget();
  interop::vendor::ResetThread();
  const std::string wrong = CheckRun(evidence);
  if (!wrong.empty()) run.wrong = description + ": " + wrong;
  return run;
}

/// Fails the calls of one scenario. Each step returns whether the next one can run.
class FaultInjector {
 public:
  FaultInjector(const Scenario& scenario, const Conditions& conditions, const Injection& injection)
      : scenario_(scenario), conditions_(conditions), injection_(injection) {}

  bool RunWhole() {
    const Run run = RunOnce(scenario_, conditions_, injection_, {});
    calls_ = run.calls;
    return Note(run);
  }

  /// Fails each call of the last whole run in turn. The driver's threads make some calls at varying times. A function
  /// that a run calls less often is not tried further.
  bool FailEach() {
    for (const auto& [function, calls] : calls_) {
      if ((function == TestedVendor().work) != EndsWork(injection_)) continue;
      bool hit = true;
      for (uint64_t nth = 1; nth <= calls && hit; ++nth) {
        if (!FailCall({function, nth}, &hit)) return false;
      }
    }
    return true;
  }

  InjectionResult Result() { return std::move(result_); }

 private:
  bool FailCall(const Target& target, bool* hit) {
    const Run run = RunOnce(scenario_, conditions_, injection_, target);
    *hit = run.hit;
    if (run.hit) ++result_.failures[target.function];
    return Note(run);
  }

  bool Note(const Run& run) {
    if (run.wrong.empty()) return true;
    result_.complaints += run.wrong + "\n";
    return run.wrong.find("hangs") == std::string::npos && ++complaints_ < kMostComplaints;
  }

  const Scenario& scenario_;
  const Conditions& conditions_;
  const Injection& injection_;
  InjectionResult result_;
  std::map<std::string, uint64_t> calls_;  // of the last whole run
  size_t complaints_ = 0;
};

}  // namespace

std::span<const Injection> Injections() { return TestedVendor().injections; }

bool EndsWork(const Injection& injection) {
  return injection.status == HAL_STATUS_DEVICE_LOST && !TestedVendor().work.empty();
}

InjectionResult InjectFaults(const Scenario& scenario, const Conditions& conditions, const Injection& injection) {
  FaultInjector injector(scenario, conditions, injection);
  // The first run of a process loads the library as well; loading_test.cpp fails those calls.
  static_cast<void>(injector.RunWhole() && injector.RunWhole() && injector.FailEach() && injector.RunWhole());
  return injector.Result();
}

}  // namespace halyard::fault_injection
