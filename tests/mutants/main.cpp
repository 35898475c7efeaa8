// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-cts-faults: runs the conformance suite against a driver that is wrong on purpose, and passes if a test fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cts/cts.h"
#include "cts/watchdog.h"
#include "mutants/fault.h"

namespace halyard::faults {
namespace {

constexpr char kUsage[] = R"(usage: halyard-cts-faults --list-faults
       halyard-cts-faults --fault=NAME [GoogleTest flags]
Runs the tests that ought to notice a fault, up to the first that does; --gtest_filter='*' --gtest_fail_fast=0 runs all.
Ends with 0 if the fault was caught (or a control passed), 1 if not, 2 if nothing could be run.
)";

constexpr int kExitCannotRun = 2;
/// What a wait may take with a driver that is known to hang now and then.
constexpr uint64_t kShortDeadline = 2'000'000'000;  // nanoseconds

void ListFaults() {
  for (const Fault& fault : AllFaults()) {
    std::printf("%-30.*s %.*s\n", static_cast<int>(fault.name.size()), fault.name.data(),
                static_cast<int>(fault.what.size()), fault.what.data());
  }
}

/// Notes which tests fail.
class FailureList : public testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed()) names_.push_back(std::string(test.test_suite_name()) + "." + test.name());
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

/// Whether the outcome is what it ought to be, in words.
bool Verdict(const Fault& fault, bool passed, const std::vector<std::string>& failed) {
  const int run = testing::UnitTest::GetInstance()->test_to_run_count();
  std::cout << "\n" << fault.name << " (" << fault.what << "): ";
  if (!fault.is_fault) {
    passed = passed && run > 0;
    std::cout << (passed ? "passed, as it should" : "NOT PASSED") << std::endl;
    return passed;
  }
  if (failed.empty()) {
    std::cout << "NOT CAUGHT by any of " << run << " tests" << std::endl;
    return false;
  }
  std::cout << "caught by " << failed.front();
  if (failed.size() > 1) std::cout << " and " << failed.size() - 1 << " more";
  std::cout << std::endl;
  return true;
}

int Run(const Fault& fault) {
  cts::options().device = DeviceUri(fault);
  cts::options().kernels = HALYARD_CTS_KERNEL_DIR;
  cts::options().seed = 1;  // a fault that is caught is caught every time
  if (fault.is_fault) cts::kForever = kShortDeadline;
  cts::Check(RegisterFaultyDrivers(cts::SuiteRegistry()), "registering the faulty drivers");
  if (!cts::OpenDeviceUnderTest()) return kExitCannotRun;
  cts::InstallWatchdog();
  auto* const failures = new FailureList;
  testing::UnitTest::GetInstance()->listeners().Append(failures);  // GoogleTest takes it over
  const bool passed = RUN_ALL_TESTS() == 0;
  return Verdict(fault, passed, failures->names()) ? 0 : 1;
}

const Fault& ChosenFault(int argc, char** argv) {
  constexpr std::string_view kOption = "--fault=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kOption.size()) != kOption) continue;
    const Fault* const fault = FindFault(argument.substr(kOption.size()));
    if (!fault) throw std::runtime_error("there is no " + std::string(argument) + "; see --list-faults");
    return *fault;
  }
  throw std::runtime_error(kUsage);
}

/// What GoogleTest is to do unless its own flags, which it reads later, say otherwise.
void SetDefaults(const Fault& fault) {
  GTEST_FLAG_SET(filter, std::string(fault.tests));
  GTEST_FLAG_SET(fail_fast, fault.is_fault);
}

}  // namespace
}  // namespace halyard::faults

int main(int argc, char** argv) {
  using namespace halyard::faults;  // NOLINT(google-build-using-namespace)
  int result = kExitCannotRun;
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--list-faults") {
      ListFaults();
      return 0;
    }
    const Fault& fault = ChosenFault(argc, argv);
    SetDefaults(fault);
    testing::InitGoogleMock(&argc, argv);
    result = Run(fault);
  } catch (const std::exception& error) {
    std::cerr << "halyard-cts-faults: " << error.what() << "\n";
  }
  // A faulty driver may have left threads and callbacks behind that outlive what destructors would take away.
  std::fflush(nullptr);
  std::_Exit(result);
}
