// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a scenario once for each call that it makes of the vendor's API, and lets that call fail.
#ifndef HALYARD_TESTS_FAULT_INJECTION_FAULT_INJECTOR_H_
#define HALYARD_TESTS_FAULT_INJECTION_FAULT_INJECTOR_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {

/// A vendor's error that a call is made to return, and the status that callers must see.
struct Injection {
  const char* name;
  const char* vendor_name;
  int result;
  hal_status_t status;
};

/// Memory that is short, an argument that is refused, something that is not permitted or not supported, a device that
/// is lost.
std::span<const Injection> Injections();
/// Whether it ends what a device works on, instead of a call.
bool EndsWork(const Injection& injection);

/// What stays the same in all runs of a scenario.
struct Conditions {
  std::string driver;                 ///< empty for the vendor's
  std::string parameters;             ///< of every device
  uint64_t delay = 0;                 ///< the longest delay of an operation, in microseconds
  uint64_t patience = 5'000'000'000;  ///< nanoseconds until something counts as a hang
};

struct InjectionResult {
  std::map<std::string, uint64_t> failures;  ///< by function, the calls that were made to fail, one in each run
  std::string complaints;                    ///< what is wrong, one line for each run; empty if nothing is
};

/// Lets each call fail in turn, between runs without a failure. Ends at the first run that hangs, and after some
/// complaints.
InjectionResult InjectFaults(const Scenario& scenario, const Conditions& conditions, const Injection& injection);

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_FAULT_INJECTOR_H_
