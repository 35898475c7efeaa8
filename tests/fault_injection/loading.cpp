// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/loading.h"

#include <cstdio>
#include <exception>

#include "fault_injection/run_checks.h"
#include "fault_injection/simulator.h"

namespace halyard::fault_injection {
namespace {

bool TryToOpen(std::string* failure) {
  Witness witness("cuda", "queues=1");
  try {
    witness.Open();
    return true;
  } catch (const std::exception& error) {
    *failure = error.what();
    return false;
  }
}

/// What is wrong with a failure to open, after the failure of a call.
std::string CheckFailure(const std::string& failure, const std::string& call, const Injection& injection) {
  if (call.empty()) return "failed for no reason: " + failure;
  // The call after the loss of a context reports it.
  const bool lost = injection.status == HAL_STATUS_DEVICE_LOST;
  const bool named = failure.find((lost ? "" : call) + ": " + injection.vendor_name) != std::string::npos;
  // A library that cannot be initialised is no library that works.
  const char* const status = call == "cuInit" ? "UNAVAILABLE" : hal_status_name(injection.status);
  const bool right = failure.find(status) != std::string::npos;
  return named && right ? "" : "wrong message or status after " + call + " failed: " + failure;
}

}  // namespace

int LoadOnce(uint64_t nth, uint64_t index) {
  const Simulator& simulator = Simulator::Get();
  const Injection& injection = Injections()[index];
  simulator.Fail(nullptr, nth, static_cast<int>(injection.result));
  std::string failure;
  const bool opened = TryToOpen(&failure);
  const char* const failed_call = simulator.FailedCall();
  const std::string call = failed_call == nullptr ? "" : failed_call;
  std::string wrong;
  if (!opened) wrong = CheckFailure(failure, call, injection);
  // What failed once works the second time, in the same process.
  if (wrong.empty() && !opened && !TryToOpen(&failure)) wrong = "fails again: " + failure;
  if (!wrong.empty()) std::fprintf(stderr, "loading, call %u: %s\n", static_cast<unsigned>(nth), wrong.c_str());
  if (!wrong.empty()) return kLoadedWrongly;
  return call.empty() && nth != 0 ? kNoSuchCall : kLoadedAsItShould;
}

}  // namespace halyard::fault_injection
