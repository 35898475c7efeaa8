// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "cts/callbacks.h"
#include "sweep/hang_guard.h"
#include "sweep/simulator.h"
#include "sweep/verdict.h"

namespace halyard::sweep {
namespace {

using cuda::abi::Result;

constexpr Injection kInjections[] = {
    {"OutOfMemory", "CUDA_ERROR_OUT_OF_MEMORY", Result::kErrorOutOfMemory, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"InvalidValue", "CUDA_ERROR_INVALID_VALUE", Result::kErrorInvalidValue, HAL_STATUS_INVALID_ARGUMENT},
    {"NotPermitted", "CUDA_ERROR_NOT_PERMITTED", Result::kErrorNotPermitted, HAL_STATUS_PERMISSION_DENIED},
    {"IllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", Result::kErrorIllegalAddress, HAL_STATUS_DEVICE_LOST},
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

/// Whether the driver is through with every device: it has let go of all contexts, and nothing is left.
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

std::string Describe(const Scenario& scenario, const Conditions& conditions, const Injection& injection, uint64_t nth) {
  std::string text = std::string(scenario.name) + " on " + conditions.driver + "://0?" + conditions.parameters;
  if (nth == 0) return text + ", no call made to fail";
  return text + ", call " + std::to_string(nth) + " made to answer " + injection.vendor_name;
}

bool IsHang(const std::string& failure) { return failure.find(": DEADLINE_EXCEEDED: ") != std::string::npos; }

/// One sweep under way.
class Sweeper {
 public:
  Sweeper(const Scenario& scenario, const Conditions& conditions, const Injection& injection)
      : scenario_(scenario), conditions_(conditions), injection_(injection) {}

  /// Whether it can go on.
  bool Run(uint64_t nth) {
    uint64_t calls = 0;
    const std::string wrong = RunOnce(scenario_, conditions_, injection_, nth, &calls, &hit_);
    result_.failures += hit_ ? 1 : 0;
    if (nth == 0) result_.calls = result_.calls == 0 ? calls : std::min(result_.calls, calls);
    if (wrong.empty()) return true;
    result_.complaints += wrong + "\n";
    return wrong.find("hangs") == std::string::npos && ++complaints_ < kMostComplaints;
  }
  bool hit() const { return hit_; }
  const SweepResult& result() const { return result_; }

 private:
  const Scenario& scenario_;
  const Conditions& conditions_;
  const Injection& injection_;
  SweepResult result_;
  size_t complaints_ = 0;
  bool hit_ = false;
};

}  // namespace

std::span<const Injection> Injections() { return kInjections; }

std::string RunOnce(const Scenario& scenario, const Conditions& conditions, const Injection& injection, uint64_t nth,
                    uint64_t* out_calls, bool* out_hit) {
  const Simulator& simulator = Simulator::Get();
  const std::string description = Describe(scenario, conditions, injection, nth);
  const HangGuard guard(description, 4 * conditions.patience);
  cts::kForever = conditions.patience;
  simulator.Reset();
  simulator.SetDelay(conditions.delay);
  const auto context = simulator.CurrentContext();
  simulator.Reset();
  simulator.Fail(nth, static_cast<int>(injection.result));
  Evidence evidence;
  {
    Witness witness(conditions.driver, conditions.parameters);
    RunScenario(scenario, witness);
    evidence.failures = witness.failures();
    evidence.wrong_results = witness.wrong_results();
  }
  {
    // What is called owns what it uses: a device that is lost gives memory back after it has told of the loss.
    const testing::ScopedTrace trace(__FILE__, __LINE__, description);
    cts::ExpectAllCallbacksCalled();
  }
  for (const std::string& failure : evidence.failures) {
    if (IsHang(failure)) return description + ": hangs: '" + failure + "'";
  }
  WaitUntilOver(simulator, conditions.patience);
  *out_calls = simulator.Calls(nullptr);
  simulator.Fail(0, 0);
  evidence.objects = simulator.Objects();
  evidence.failed_call = FailedCall(simulator);
  evidence.scenario = &scenario;
  evidence.injection = &injection;
  evidence.reports = simulator.ReportText();
  evidence.same_context = simulator.CurrentContext() == context;
  *out_hit = !evidence.failed_call.empty();
  simulator.Forget();
  const std::string wrong = Judge(evidence);
  if (wrong.empty()) return {};
  return description + (*out_hit ? " (" + evidence.failed_call + ")" : std::string()) + ": " + wrong;
}

SweepResult Sweep(const Scenario& scenario, const Conditions& conditions, const Injection& injection) {
  Sweeper sweeper(scenario, conditions, injection);
  // The first run of a process loads the library; loading_test.cpp sweeps those calls.
  for (int i = 0; i < 2; ++i) {
    if (!sweeper.Run(0)) return sweeper.result();
  }
  // The number of calls varies a little from run to run, with what the driver's own threads do.
  for (uint64_t nth = 1; nth <= sweeper.result().calls || sweeper.hit(); ++nth) {
    if (!sweeper.Run(nth)) return sweeper.result();
  }
  sweeper.Run(0);
  return sweeper.result();
}

}  // namespace halyard::sweep
