// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a run in which a call failed.
#ifndef HALYARD_TESTS_FAULT_INJECTION_RUN_CHECKS_H_
#define HALYARD_TESTS_FAULT_INJECTION_RUN_CHECKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fault_injection/fault_injector.h"

namespace halyard::fault_injection {

/// All that is known of a run.
struct Evidence {
  const Scenario* scenario = nullptr;
  const Injection* injection = nullptr;
  std::string failed_call;  ///< by the name that the vendor's library exports; empty if none was made to fail
  std::vector<std::string> failures;
  std::vector<std::string> wrong_results;
  std::string reports;       ///< the simulation's, one a line
  uint64_t objects = 0;      ///< of the simulation that are left
  bool same_context = true;  ///< whether the caller's thread has the context or device that it had
  bool error_left = false;   ///< whether it has a last error that it did not have
};

/// Whether a call releases something. Its failure need not be reported, and what it was to release stays.
bool IsRelease(std::string_view call);
/// How many objects of the simulation stay when that call fails; the others are destroyed with their context.
uint64_t ObjectsLeftBy(std::string_view call);

/// Whether a failure has the status and the vendor's names that are due when that call fails.
bool HasRightStatus(const std::string& failure, std::string_view call, const Injection& injection);
bool HasRightNames(const std::string& failure, std::string_view call, const Injection& injection);

/// What is wrong; empty if nothing is.
std::string CheckRun(const Evidence& evidence);

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_RUN_CHECKS_H_
