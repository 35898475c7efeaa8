// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-cts-mutants: runs the conformance suite against a driver that is wrong on purpose, and passes if a test
// fails.
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
#include "cts/runner/watchdog.h"
#include "mutants/mutant.h"

namespace halyard::mutants {
namespace {

constexpr char kUsage[] = R"(usage: halyard-cts-mutants --list-mutants
       halyard-cts-mutants --mutant=NAME [GoogleTest flags]
Runs the tests that ought to notice a mutant, up to the first that does; --gtest_filter='*' --gtest_fail_fast=0 runs all.
Ends with 0 if the mutant was caught (or a control passed), 1 if not, 2 if nothing could be run.
)";

constexpr int kExitCannotRun = 2;
/// What a wait may take with a driver that is known to hang now and then.
constexpr uint64_t kShortDeadline = 2'000'000'000;  // nanoseconds

void ListMutants() {
  for (const Mutant& mutant : AllMutants()) {
    std::printf("%-30.*s %.*s\n", static_cast<int>(mutant.name.size()), mutant.name.data(),
                static_cast<int>(mutant.what.size()), mutant.what.data());
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

/// Prints the outcome, and returns whether it is the expected one.
bool Report(const Mutant& mutant, bool passed, const std::vector<std::string>& failed) {
  const int run = testing::UnitTest::GetInstance()->test_to_run_count();
  std::cout << "\n" << mutant.name << " (" << mutant.what << "): ";
  if (!mutant.is_mutant) {
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

int Run(const Mutant& mutant) {
  cts::options().device = DeviceUri(mutant);
  cts::options().kernels = HALYARD_CTS_KERNEL_DIR;
  cts::options().seed = 1;  // a mutant that is caught is caught every time
  if (mutant.is_mutant) cts::kForever = kShortDeadline;
  cts::Check(RegisterMutants(cts::SuiteRegistry()), "registering the mutants");
  if (!cts::OpenDeviceUnderTest()) return kExitCannotRun;
  cts::InstallWatchdog();
  auto* const failures = new FailureList;
  testing::UnitTest::GetInstance()->listeners().Append(failures);  // GoogleTest takes it over
  const bool passed = RUN_ALL_TESTS() == 0;
  return Report(mutant, passed, failures->names()) ? 0 : 1;
}

const Mutant& ChosenMutant(int argc, char** argv) {
  constexpr std::string_view kOption = "--mutant=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kOption.size()) != kOption) continue;
    const Mutant* const mutant = FindMutant(argument.substr(kOption.size()));
    if (!mutant) throw std::runtime_error("there is no " + std::string(argument) + "; see --list-mutants");
    return *mutant;
  }
  throw std::runtime_error(kUsage);
}

/// What GoogleTest is to do unless its own flags, which it reads later, say otherwise.
void SetDemutants(const Mutant& mutant) {
  GTEST_FLAG_SET(filter, std::string(mutant.tests));
  GTEST_FLAG_SET(fail_fast, mutant.is_mutant);
}

}  // namespace
}  // namespace halyard::mutants

int main(int argc, char** argv) {
  using namespace halyard::mutants;  // NOLINT(google-build-using-namespace)
  int result = kExitCannotRun;
  try {
    if (argc == 2 && std::string_view(argv[1]) == "--list-mutants") {
      ListMutants();
      return 0;
    }
    const Mutant& mutant = ChosenMutant(argc, argv);
    SetDemutants(mutant);
    testing::InitGoogleMock(&argc, argv);
    result = Run(mutant);
  } catch (const std::exception& error) {
    std::cerr << "halyard-cts-mutants: " << error.what() << "\n";
  }
  // A mutant may leave threads and callbacks behind that still use what destructors would free.
  std::fflush(nullptr);
  std::_Exit(result);
}
