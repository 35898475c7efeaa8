// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue whose completion thread the system refuses.
#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/status.h"
#include "submission/completion_thread.h"

namespace halyard::stream {
namespace {

/// Has the system refuse threads to this user; root has no such limit, and becomes another user.
bool RefuseThreads() {
  constexpr uid_t kOtherUser = 65534;
  if (geteuid() == 0 && setuid(kOtherUser) != 0) return false;
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  limit.rlim_cur = 1;
  return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

struct IdleService final : CompletionService {
  Rest Serve() noexcept override { return Rest::kFinished; }
};

void StartWithoutThreads() {
  if (!RefuseThreads()) {
    std::fputs("there is no such limit here\n", stderr);
    std::_Exit(0);
  }
  IdleService service;
  CompletionThread thread;
  const Failure failure(thread.Start(service));
  std::fprintf(stderr, "%s: %s\n", hal_status_name(failure.code()), failure.message().data());
  std::_Exit(0);
}

TEST(NoThreadsTest, IsAStatusWithTheSystemsReason) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(StartWithoutThreads(), testing::ExitedWithCode(0),
              "RESOURCE_EXHAUSTED: the device's completion thread: the system refused|no such limit");
}

}  // namespace
}  // namespace halyard::stream
#endif  // __linux__
