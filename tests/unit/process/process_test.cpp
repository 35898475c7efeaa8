// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a host process may do to the threads of local://task: refuse them, fork, exit within them.
#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"
#include "thread_count.h"

namespace halyard {
namespace {

/// The number of the step that failed, from 1 on; 0 if a device could be opened and used.
int Use(const char* uri) {
  hal_device_t* device = nullptr;
  hal_semaphore_t* done = nullptr;
  if (hal_device_create(hal_string_view(uri), &device) != HAL_STATUS_OK) return 1;
  if (hal_semaphore_create(device, nullptr, &done) != HAL_STATUS_OK) return 2;
  const hal_timeline_point_t signal = {done, 1};
  const auto call = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  if (hal_device_queue_host_call(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                 call, nullptr) != HAL_STATUS_OK) {
    return 3;
  }
  if (hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) != HAL_STATUS_OK) return 4;
  hal_semaphore_release(done);
  hal_device_release(device);
  return 0;
}

/// Has the system refuse threads beyond `most` of the user; root has no such limit, and becomes another user.
bool LimitThreads(rlim_t most) {
  constexpr uid_t kOtherUser = 65534;
  if (geteuid() == 0 && setuid(kOtherUser) != 0) return false;
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return false;
  limit.rlim_cur = most;
  return setrlimit(RLIMIT_NPROC, &limit) == 0;
}

/// 0 if opening a device says that threads are missing and leaves none of them, and works once they can be had.
int OpenWithoutThreads(rlim_t most) {
  if (!LimitThreads(most)) {
    std::fputs("there is no such limit here\n", stderr);
    return 0;
  }
  const size_t threads = ThreadCount();
  hal_device_t* device = nullptr;
  const hal_status_t status = hal_device_create(hal_string_view("local://task?threads=64"), &device);
  std::fprintf(stderr, "%s: %s\n", hal_status_name(status), hal_last_error_message());
  if (status != HAL_STATUS_RESOURCE_EXHAUSTED || device) return 10;
  if (std::string(hal_last_error_message()).find("of the 64") == std::string::npos) return 11;
  if (!HasAsManyThreadsAs(threads)) return 12;
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) return 13;
  return Use("local://task?threads=2");
}

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ProcessTest, ThreadsThatCannotBeHadAreAStatus) {
  for (const rlim_t most : {1, 2, 5, 20}) {
    EXPECT_EXIT(std::exit(OpenWithoutThreads(most)), testing::ExitedWithCode(0),
                "RESOURCE_EXHAUSTED: .*, thread [0-9]+ of the 64|no such limit")
        << most << " threads";
  }
}

/// The exit code of a child process that opens `uri`.
int UseInChild(const char* uri) {
  const pid_t child = fork();
  if (child == 0) std::_Exit(Use(uri));
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 20;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 21;
}

int UseOnBothSides(const char* uri) {
  if (const int failed = Use(uri)) return failed;
  if (const int failed = UseInChild(uri)) return 100 + failed;
  return Use(uri);
}

TEST_F(ProcessTest, AChildHasThreadsOfItsOwn) {
  EXPECT_EXIT(std::exit(UseOnBothSides("local://task?threads=2")), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(UseOnBothSides("local://sync")), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(UseOnBothSides("null://")), testing::ExitedWithCode(0), "");
}

/// Forks while other threads are anywhere in the library, as often as not with a lock, from their first call on.
int ForkAmidCalls() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!stop) {
        static_cast<void>(Use("local://task?threads=2"));
        hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_ERROR);
        hal_registry_t* registry = nullptr;
        static_cast<void>(hal_registry_create(&registry));
        hal_registry_release(registry);
      }
    });
  }
  int failed = 0;
  for (int i = 0; i < 50 && failed == 0; ++i) failed = UseInChild("local://task?threads=2");
  stop = true;
  for (std::thread& other : others) other.join();
  return failed;
}

TEST_F(ProcessTest, AChildFindsNoLockTaken) { EXPECT_EXIT(std::exit(ForkAmidCalls()), testing::ExitedWithCode(0), ""); }

// Thousands of operations are under way, some on each thread.
void ExitInAHostCall() {
  hal_device_t* device = nullptr;
  hal_semaphore_t* timeline = nullptr;
  hal_device_create(hal_string_view("local://task?threads=3"), &device);
  hal_semaphore_create(device, nullptr, &timeline);
  const auto leave = [](void* now, hal_status_t) {
    if (now) std::exit(0);
    return HAL_STATUS_OK;
  };
  for (uint64_t i = 1; i <= 2000; ++i) {
    const hal_timeline_point_t signal = {timeline, i};
    const hal_timeline_point_t wait = {timeline, i - 1};
    hal_device_queue_host_call(device, hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1)),
                               leave, i == 1000 ? device : nullptr);
  }
  while (true) pause();
}

TEST_F(ProcessTest, AHostCallMayEndTheProcess) {
  for (int i = 0; i < 5; ++i) EXPECT_EXIT(ExitInAHostCall(), testing::ExitedWithCode(0), "");
}

/// Runs a host call on a device that a thread of its own opens; 0 if all went well.
int CallOnDeviceOpenedWith(void (*prepare)(), hal_host_call_fn_t call) {
  hal_device_t* device = nullptr;
  hal_semaphore_t* done = nullptr;
  std::thread([&] {
    prepare();
    hal_device_create(hal_string_view("local://task?threads=2"), &device);
  }).join();
  if (hal_semaphore_create(device, nullptr, &done) != HAL_STATUS_OK) return 1;
  const hal_timeline_point_t signal = {done, 1};
  if (hal_device_queue_host_call(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                 call, nullptr) != HAL_STATUS_OK) {
    return 2;
  }
  const hal_status_t status = hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE);
  hal_semaphore_release(done);
  hal_device_release(device);
  return status == HAL_STATUS_OK ? 0 : 3;
}

void RoundUpAndTrap() {
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__) && defined(__GLIBC__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);  // subnormal numbers are 0
  feenableexcept(FE_DIVBYZERO);
#endif
}

hal_status_t CheckArithmetic(void*, hal_status_t) {
  volatile double zero = 0;
  volatile float smallest = std::numeric_limits<float>::denorm_min();
  const bool raised = !std::isinf(1 / zero);
  const bool flushed = smallest * 16777216.0f == 0;
  return raised || flushed || std::fegetround() != FE_TONEAREST ? HAL_STATUS_INTERNAL : HAL_STATUS_OK;
}

TEST_F(ProcessTest, ArithmeticOfAPoolDoesNotDependOnTheThreadThatOpensTheFirstDevice) {
  EXPECT_EXIT(std::exit(CallOnDeviceOpenedWith(RoundUpAndTrap, CheckArithmetic)), testing::ExitedWithCode(0), "");
}

/// A program that waits for its signals on its first thread, as its other threads are its own and block them.
int WaitForOwnSignal() {
  const auto nothing = [](void*, hal_status_t) { return HAL_STATUS_OK; };
  if (const int failed = CallOnDeviceOpenedWith([] {}, nothing)) return failed;
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  if (kill(getpid(), SIGUSR1) != 0) return 10;
  int number = 0;
  return sigwait(&awaited, &number) == 0 && number == SIGUSR1 ? 0 : 11;
}

// Without a handler the signal would end the process on a thread of the pool.
TEST_F(ProcessTest, SignalsAreForTheThreadsOfTheApplication) {
  EXPECT_EXIT(std::exit(WaitForOwnSignal()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halyard
#endif  // __linux__
