// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends a program that hangs where no wait of a test can end it: inside a call of the library.
#ifndef HALYARD_TESTS_CTS_RUNNER_WATCHDOG_H_
#define HALYARD_TESTS_CTS_RUNNER_WATCHDOG_H_

namespace halyard::cts {

/// Watches every test: one that takes far longer than kForever is named, and the program aborted. Tests with "Slow" in
/// their names may take ten times as long.
void InstallWatchdog();

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_RUNNER_WATCHDOG_H_
