// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends a program that hangs inside a call, where no wait with a time-out can end it.
#ifndef HALYARD_TESTS_FAULT_INJECTION_HANG_GUARD_H_
#define HALYARD_TESTS_FAULT_INJECTION_HANG_GUARD_H_

#include <cstdint>
#include <string>

namespace halyard::fault_injection {

/// Aborts the program, saying what it was at, if it lives longer than it may. One at a time.
class HangGuard {
 public:
  HangGuard(const std::string& what, uint64_t nanoseconds);
  ~HangGuard();
  HangGuard(const HangGuard&) = delete;
  HangGuard& operator=(const HangGuard&) = delete;
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_HANG_GUARD_H_
