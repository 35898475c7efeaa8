// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A child of fork(), after the parent has used the vendor's library: the vendors' do not work there. The child is told,
// before the library is called, and may use the host.
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "interop_test.h"

namespace halyard::interop {
namespace {

class ForkTest : public InteropTest {};

/// The number of the check that failed, from 1 on; 0 if none did.
int CheckInChild(const std::string& uri) {
  hal_device_t* device = nullptr;
  if (hal_device_create(hal_string_view(uri.c_str()), &device) != HAL_STATUS_UNAVAILABLE) return 1;
  const std::string_view message = hal_last_error_message();
  if (message.find("initialised before fork()") == std::string_view::npos) return 2;
  if (hal_device_create(hal_string_view("local://sync"), &device) != HAL_STATUS_OK) return 3;
  hal_device_release(device);
  return 0;
}

TEST_P(ForkTest, AChildIsToldThatTheVendorsLibraryDoesNotWorkThere) {
  const std::string uri = DeviceUri(0, {});
  const uint64_t calls = sim().Calls(nullptr);
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    alarm(kPatience);
    const int failed = CheckInChild(uri);
    _exit(failed == 0 && sim().Calls(nullptr) > calls ? 9 : failed);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "check " << WEXITSTATUS(status) << ", signal " << WTERMSIG(status);
  const Ref<hal_semaphore_t> done = MakeSemaphore();
  EXPECT_OK(QueueAppend({}, {{done.get(), 1}}, 1));
  EXPECT_OK(Wait(done, 1)) << "the parent goes on";
}

INSTANTIATE_TEST_SUITE_P(Completion, ForkTest, testing::Values("fast"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
