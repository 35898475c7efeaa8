// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that is setuid: the user who starts it must not choose by the environment what it loads.
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "driver_kit/trace/nvtx.h"
#include "halyard/halyard.h"
#include "platform/environment.h"
#include "support/temporary_files.h"
#include "thread_count.h"

#if defined(__linux__) && !defined(HALYARD_THREAD_SANITIZER)  // which a setuid program cannot start
namespace halyard {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What the program in question prints. Run by the test below, in a copy of this program.
TEST(SecureProgram, DISABLED_SaysWhatItLoads) {
  std::printf("foreign environment: %d\n", EnvironmentIsForeign() ? 1 : 0);
  const auto print = [](void*, hal_log_level_t, hal_string_view_t text) {
    std::printf("log: %.*s\n", static_cast<int>(text.size), text.data);
  };
  hal_set_log_callback(print, nullptr, HAL_LOG_LEVEL_DEBUG);
  for (const char* uri : {"cuda://0", "hip://0", "vulkan://0"}) {
    hal_device_t* device = nullptr;
    if (hal_device_create(hal_string_view(uri), &device) != HAL_STATUS_OK) {
      std::printf("%s: %s\n", uri, hal_last_error_message());
    }
    hal_device_release(device);
  }
  std::printf("nvtx: %d\n", Nvtx::Get() ? 1 : 0);
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_device_create(hal_string_view("local"), &device), HAL_STATUS_OK);  // writes what waits in the log
  hal_device_release(device);
}

std::string OutputOf(const std::string& command) {
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output.push_back(static_cast<char>(c));
  pclose(pipe);
  return output;
}

/// Gives a program another user, or another group of this user, when it runs. False if this user cannot.
bool MakeSecure(const std::string& program) {
  constexpr uid_t kOtherUser = 65534;
  if (geteuid() == 0) return chown(program.c_str(), kOtherUser, gid_t(-1)) == 0 && chmod(program.c_str(), 04755) == 0;
  std::vector<gid_t> groups(static_cast<size_t>(std::max(0, getgroups(0, nullptr))));
  if (getgroups(static_cast<int>(groups.size()), groups.data()) < 0) return false;
  const auto other = std::ranges::find_if(groups, [](gid_t group) { return group != getegid(); });
  return other != groups.end() && chown(program.c_str(), uid_t(-1), *other) == 0 && chmod(program.c_str(), 02755) == 0;
}

TEST(SecureProgram, TakesNothingFromTheEnvironment) {
  const TemporaryFolder folder;
  const std::string program = folder / "program";
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::copy_file("/proc/self/exe", program);
  const std::string command =
      "HALYARD_CUDA_LIBRARY=/nowhere/evil.so HALYARD_HIP_LIBRARY=/nowhere/evil.so HALYARD_NVTX=1 "
      "HALYARD_VULKAN_LIBRARY=/nowhere/evil.so HALYARD_NVTX_LIBRARY=/nowhere/evil.so "
      "NVTX_INJECTION64_PATH=/nowhere/evil.so " +
      program + " --gtest_also_run_disabled_tests --gtest_filter=SecureProgram.DISABLED_SaysWhatItLoads 2>&1";
  const std::string plain = OutputOf(command);
  EXPECT_THAT(plain, HasSubstr("foreign environment: 0"));
  EXPECT_THAT(plain, HasSubstr("cannot load '/nowhere/evil.so'"));
  EXPECT_THAT(plain, HasSubstr("HALYARD_NVTX: no tool is told"));
  if (!MakeSecure(program)) GTEST_SKIP() << "this user can make no program setgid: it is in one group";
  const std::string secure = OutputOf(command);
  if (secure.find("foreign environment: 0") != std::string::npos) GTEST_SKIP() << "the system ignores setuid here";
  EXPECT_THAT(secure, HasSubstr("foreign environment: 1"));
  EXPECT_THAT(secure, HasSubstr("nvtx: 0"));
  EXPECT_THAT(secure, Not(HasSubstr("evil")));
  EXPECT_THAT(secure, Not(HasSubstr("HALYARD_NVTX")));
}

}  // namespace
}  // namespace halyard
#endif
