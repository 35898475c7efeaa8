// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process ends while a thread of the library is inside a call of Vulkan that returns late, as on a loaded machine.
// The handlers of exit() that Vulkan's drivers register find no thread inside, and none comes later.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "cts/cts.h"
#include "halyard/cpp/submit.hpp"
#include "simulation.h"

namespace halyard::vulkan {
namespace {

constexpr unsigned kExitPatience = 60;  // seconds after which a process that hangs is ended
constexpr uint64_t kLate = 600;         // milliseconds; the drain at exit takes 250 at most

/// Looks at what the simulation has reported once all handlers of exit() have run: this is made before main(), and so
/// destroyed last.
struct LastLook {
  const Simulation* simulation = nullptr;
  ~LastLook() {
    if (!simulation) return;
    const uint64_t reports = simulation->Reports();
    std::fprintf(stderr, "%llu calls at exit\n", static_cast<unsigned long long>(reports));
    std::fflush(stderr);
    _exit(reports == 0 ? 0 : 1);
  }
};
LastLook g_last_look;

/// Never destroyed, as the process ends within.
[[noreturn]] void EndWithin(const char* function) {
  alarm(kExitPatience);
  auto& device = *new cts::Device();
  cts::Check(hal_device_create(cts::View("vulkan://0?queues=2"), device.out()), "hal_device_create");
  const auto& buffer = *new cts::Buffer(device.CreateBuffer(256));
  const auto& timeline = *new cts::Semaphore(device.CreateSemaphore());
  const auto& simulation = *new Simulation;
  simulation.ReturnLate(function, kLate);
  cts::Check(device.QueueFill({}, {{timeline, 1}}, cts::Ref(buffer, 0, 64), uint32_t{7}), "fill");
  while (simulation.ThreadsInside(function) == 0) std::this_thread::yield();
  g_last_look.simulation = &simulation;
  std::exit(0);
}

class VulkanExitTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // starts the program again
};

TEST_F(VulkanExitTest, WaitsForTheCompletionThreadInsideACall) {
  EXPECT_EXIT(EndWithin("vkGetSemaphoreCounterValue"), testing::ExitedWithCode(0), "0 calls at exit");
}

/// The number of the step that failed, from 1 on; 0 if a device could be opened and used.
int Use() {
  hal_device_t* device = nullptr;
  hal_semaphore_t* done = nullptr;
  if (hal_device_create(hal_string_view("vulkan://0?queues=1"), &device) != HAL_STATUS_OK) return 1;
  if (hal_semaphore_create(device, nullptr, &done) != HAL_STATUS_OK) return 2;
  const hal_timeline_point_t signal = {done, 1};
  if (hal_device_queue_barrier(device, hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1))) !=
      HAL_STATUS_OK) {
    return 3;
  }
  if (hal_semaphore_wait(done, 1, HAL_TIMEOUT_INFINITE) != HAL_STATUS_OK) return 4;
  hal_semaphore_release(done);
  hal_device_release(device);
  return 0;
}

/// The exit code is that of a child of fork(), after the parent has used Vulkan.
[[noreturn]] void UseInAChild() {
  alarm(kExitPatience);
  if (const int failed = Use()) std::_Exit(100 + failed);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kExitPatience);
    std::_Exit(Use());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) std::_Exit(20);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 21);
}

// On Mesa's device on the processor.
TEST_F(VulkanExitTest, AChildOfForkHasADeviceOfItsOwn) { EXPECT_EXIT(UseInAChild(), testing::ExitedWithCode(0), ""); }

}  // namespace
}  // namespace halyard::vulkan
