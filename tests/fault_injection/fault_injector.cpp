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
#include "fault_injection/simulator.h"

namespace halyard::fault_injection {
namespace {

constexpr Injection kInjections[] = {
    {"OutOfMemory", "CUDA_ERROR_OUT_OF_MEMORY", cuda::CUDA_ERROR_OUT_OF_MEMORY, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"InvalidValue", "CUDA_ERROR_INVALID_VALUE", cuda::CUDA_ERROR_INVALID_VALUE, HAL_STATUS_INVALID_ARGUMENT},
    {"NotPermitted", "CUDA_ERROR_NOT_PERMITTED", cuda::CUDA_ERROR_NOT_PERMITTED, HAL_STATUS_PERMISSION_DENIED},
    {"IllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", cuda::CUDA_ERROR_ILLEGAL_ADDRESS, HAL_STATUS_DEVICE_LOST},
};

constexpr size_t kMostComplaints = 20;

void RunScenario(const Scenario& scenario, Witness& witness) {
  try {
    scenario.run(witness);
  } catch (const std::exception& error) {
    witness.Caught(error.what());
  }
}

std::string FailedCall(const Simulator& simulator) {
  return simulator.Failures() == 0 ? std::string() : simulator.FailedCall();
}

/// Whether the driver has released all contexts and destroyed all objects.
bool IsOver(const Simulator& simulator) {
  const std::string failed_call = FailedCall(simulator);
  const uint64_t refused = failed_call == "cuDevicePrimaryCtxRetain" ? 1 : 0;
  const uint64_t retained = simulator.Calls("cuDevicePrimaryCtxRetain") - refused;
  return simulator.Calls("cuDevicePrimaryCtxRelease_v2") == retained &&
         simulator.Objects() <= ObjectsLeftBy(failed_call);
}

/// Waits for that, as the last work may end on threads of the library.
void WaitUntilOver(const Simulator& simulator, uint64_t patience) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience);
  while (!IsOver(simulator) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// How often each function was called, by the names that the library exports.
std::map<std::string, uint64_t> CallsByFunction(const Simulator& simulator) {
  std::map<std::string, uint64_t> calls;
#define HALYARD_FAULT_INJECTION_COUNT(base, suffix, version, need, signature) \
  if (const uint64_t count = simulator.Calls(#base #suffix); count > 0) calls[#base #suffix] = count;
  HALYARD_CUDA_FUNCTIONS(HALYARD_FAULT_INJECTION_COUNT)
#undef HALYARD_FAULT_INJECTION_COUNT
  return calls;
}

/// The call that is to fail in a run: the n-th of a function; none for 0.
struct Target {
  std::string function;
  uint64_t nth = 0;
};

std::string Describe(const Scenario& scenario, const Conditions& conditions, const Injection& injection,
                     const Target& target) {
  std::string text = std::string(scenario.name) + " on " + conditions.driver + "://0?" + conditions.parameters;
  if (target.nth == 0) return text + ", no call made to fail";
  return text + ", call " + std::to_string(target.nth) + " of " + target.function + " made to answer " +
         injection.vendor_name;
}

bool IsHang(const std::string& failure) { return failure.find(": DEADLINE_EXCEEDED: ") != std::string::npos; }

/// What a run was like.
struct Run {
  std::string wrong;                      ///< empty if nothing is
  bool hit = false;                       ///< whether its target was called, and so failed
  std::map<std::string, uint64_t> calls;  ///< that it made of each function, at least until it was checked
};

Run RunOnce(const Scenario& scenario, const Conditions& conditions, const Injection& injection, const Target& target) {
  const Simulator& simulator = Simulator::Get();
  const std::string description = Describe(scenario, conditions, injection, target);
  const HangGuard guard(description, 4 * conditions.patience);
  cts::kForever = conditions.patience;
  simulator.Reset();
  simulator.SetDelay(conditions.delay);
  const auto context = simulator.CurrentContext();
  simulator.Reset();
  simulator.Fail(target.function.c_str(), target.nth, static_cast<int>(injection.result));
  Evidence evidence;
  {
    Witness witness(conditions.driver, conditions.parameters);
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
  WaitUntilOver(simulator, conditions.patience);
  Run run;
  run.calls = CallsByFunction(simulator);
  simulator.Fail(nullptr, 0, 0);
  evidence.objects = simulator.Objects();
  evidence.failed_call = FailedCall(simulator);
  evidence.scenario = &scenario;
  evidence.injection = &injection;
  evidence.reports = simulator.ReportText();
  evidence.same_context = simulator.CurrentContext() == context;
  run.hit = !evidence.failed_call.empty();
  simulator.Forget();
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

std::span<const Injection> Injections() { return kInjections; }

InjectionResult InjectFaults(const Scenario& scenario, const Conditions& conditions, const Injection& injection) {
  FaultInjector injector(scenario, conditions, injection);
  // The first run of a process loads the library as well; loading_test.cpp fails those calls.
  static_cast<void>(injector.RunWhole() && injector.RunWhole() && injector.FailEach() && injector.RunWhole());
  return injector.Result();
}

}  // namespace halyard::fault_injection
