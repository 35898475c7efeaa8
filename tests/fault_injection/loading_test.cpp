// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each call that loads the vendor's library fails once, in a process of its own.
#include "fault_injection/loading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "cts/options.h"
#include "fault_injection/fault_injector.h"
#include "fault_injection/vendor.h"

namespace halyard::fault_injection {
namespace {

/// Runs this program as main() does for --load-once; returns its exit code, or -1.
int LoadInAnotherProcess(uint64_t nth, uint64_t injection) {
  std::string program = "/proc/self/exe";
  std::string option = "--load-once=" + std::to_string(nth) + "," + std::to_string(injection);
  char* const arguments[] = {program.data(), option.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

void ExpectCleanLoading(uint64_t injection, uint64_t stride) {
  ASSERT_EQ(LoadInAnotherProcess(0, injection), kLoadedAsItShould);
  uint64_t nth = 1;
  int result = kLoadedAsItShould;
  for (; result == kLoadedAsItShould; nth += stride) {
    result = LoadInAnotherProcess(nth, injection);
    ASSERT_TRUE(result == kLoadedAsItShould || result == kNoSuchCall) << "call " << nth << " ended with " << result;
  }
  EXPECT_GT(nth, TestedVendor().loading_calls);
}

// Look-ups are all alike, and processes start slowly under sanitizers.
TEST(LoadingTest, EveryFailureIsTold) { ExpectCleanLoading(0, cts::kTimeScale == 1 ? 1 : 13); }
TEST(LoadingTest, EveryOtherFailureIsTold_Slow) {
  for (uint64_t i = 1; i < Injections().size(); ++i) {
    if (!EndsWork(Injections()[i])) ExpectCleanLoading(i, 1);
  }
}

}  // namespace
}  // namespace halyard::fault_injection
