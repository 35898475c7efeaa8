// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/loading.h"

#include <cstdio>
#include <exception>

#include "fault_injection/run_checks.h"
#include "fault_injection/vendor.h"
#include "stream_drivers/vendor.h"

namespace halyard::fault_injection {
namespace {

bool TryToOpen(std::string* failure) {
  Witness witness(interop::vendor::kNames.driver, "queues=1");
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
  const bool right = HasRightNames(failure, call, injection) && HasRightStatus(failure, call, injection);
  return right ? "" : "wrong message or status after " + call + " failed: " + failure;
}

}  // namespace

int LoadOnce(uint64_t nth, uint64_t index) {
  const sim::SimControl& simulator = interop::vendor::Control();
  const Injection& injection = Injections()[index];
  if (injection.status == HAL_STATUS_DEVICE_LOST) simulator.SetVersion(TestedVendor().version_of_loss);
  simulator.Fail(nullptr, nth, injection.result);
  std::string failure;
  const bool opened = TryToOpen(&failure);
  const char* const failed_call = simulator.FailedCall();
  const std::string call = failed_call == nullptr ? "" : failed_call;
  std::string wrong;
  if (!opened) wrong = CheckFailure(failure, call, injection);
  // What failed once works the second time, in the same process, unless nothing answers any more.
  const bool answers = injection.status != HAL_STATUS_DEVICE_LOST || TestedVendor().answers_after_loss;
  if (wrong.empty() && !opened && answers && !TryToOpen(&failure)) wrong = "fails again: " + failure;
  static_cast<void>(hal_shutdown());  // a device may close on a thread of the library, for longer than an exit waits
  if (!wrong.empty()) std::fprintf(stderr, "loading, call %u: %s\n", static_cast<unsigned>(nth), wrong.c_str());
  if (!wrong.empty()) return kLoadedWrongly;
  return call.empty() && nth != 0 ? kNoSuchCall : kLoadedAsItShould;
}

}  // namespace halyard::fault_injection
