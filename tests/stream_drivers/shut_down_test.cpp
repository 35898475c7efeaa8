// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vendor's library shuts down while devices are at work, and while the process ends. Every waiting thread gets a
// status, and everything can be released. Each test is a process of its own, as the library stays shut down.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

#define CHECK_THAT(condition)                                                                   \
  if (!(condition)) {                                                                           \
    std::fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, hal_last_error_message()); \
    _exit(1);                                                                                   \
  }

/// What an application holds on to, of two devices.
struct Holdings {
  Ref<hal_device_t> device;
  Ref<hal_device_t> other;
  Ref<hal_executable_t> executable;
  Ref<hal_buffer_t> log;
  Ref<hal_buffer_t> buffer;
  Ref<hal_buffer_t> allocated;
  Ref<hal_command_buffer_t> recording;
  Ref<hal_semaphore_t> running;  // 1 to 5 are signalled by work that is in streams
  Ref<hal_semaphore_t> gate;     // never signalled
  Ref<hal_semaphore_t> held;     // signalled by what waits for that
  Ref<hal_semaphore_t> elsewhere;

  /// @param is_exit  whether the process ends
  void CheckLost(bool is_exit) const;
  void ReleaseAll() { *this = {}; }
};

void Holdings::CheckLost(bool is_exit) const {
  for (const Ref<hal_semaphore_t>& semaphore : {running, held, elsewhere}) {
    CHECK_THAT(hal_semaphore_wait(semaphore.get(), 1, kTenSeconds) == HAL_STATUS_DEVICE_LOST);
    // Either the vendor says so, or the library, whose threads no longer ask the vendor.
    const std::string_view message = hal_last_error_message();
    CHECK_THAT(message.find(vendor::kNames.deinitialized.name) != std::string_view::npos ||
               (is_exit && message.find("the process ends") != std::string_view::npos));
  }
  CHECK_THAT(hal_semaphore_wait(running.get(), 5, kTenSeconds) == HAL_STATUS_DEVICE_LOST);
  CHECK_THAT(hal_device_query_health(device.get()) == HAL_STATUS_DEVICE_LOST);
  CHECK_THAT(hal_device_queue_execute(device.get(), hal::SubmitParams({}, {}, 1), recording.get(), {}) ==
             HAL_STATUS_DEVICE_LOST);
  Ref<hal_buffer_t> more;
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  // Nothing has told the other device yet.
  CHECK_THAT(hal_allocator_allocate(hal_device_allocator(other.get()), &params, 64, more.out()) ==
             HAL_STATUS_DEVICE_LOST);
  CHECK_THAT(hal_device_query_health(other.get()) == HAL_STATUS_DEVICE_LOST);
}

/// Holdings that are released when the process ends, by a destructor that runs after the library's own handler:
/// destructors run in reverse order, and this is made before main(), and so before the library is loaded.
struct LastHoldings : Holdings {
  ~LastHoldings() {
    if (!device) return;
    int count = 0;
    CHECK_THAT(vendor::CountDevices(&count) == vendor::kNames.deinitialized.number);
    CheckLost(true);
    ReleaseAll();
    std::fprintf(stderr, "released at the end\n");
  }
};
LastHoldings g_last;

class ShutDownTest : public InteropTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
    InteropTest::SetUp();
  }
  /// Brings work under way that does not end.
  void SetToWork(Holdings* out);
  [[noreturn]] void ShutDown();
  [[noreturn]] void EndProcess();
};

void ShutDownTest::SetToWork(Holdings* out) {
  alarm(kPatience);
  Close(QueueStream(device_, 0));
  out->other = OpenDevice(1);
  out->running = MakeSemaphore();
  out->gate = MakeSemaphore();
  out->held = MakeSemaphore();
  out->elsewhere = MakeSemaphore(out->other);
  const auto step = [&](uint64_t value) { return hal_timeline_point_t{out->running.get(), value}; };
  CHECK_THAT(QueueAppend({}, {step(1)}, 1) == HAL_STATUS_OK);
  CHECK_THAT(QueueAppend({{out->gate.get(), 1}}, {{out->held.get(), 1}}, 2) == HAL_STATUS_OK);
  CHECK_THAT(hal_device_queue_barrier(out->other.get(),
                                      hal::SubmitParams(List({step(1)}), List({{out->elsewhere.get(), 1}}), 1)) ==
             HAL_STATUS_OK);

  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  CHECK_THAT(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 64, out->buffer.out()) ==
             HAL_STATUS_OK);
  const hal_command_buffer_params_t commands = HAL_INIT(hal_command_buffer_params_t);
  const hal_buffer_ref_t whole = hal_buffer_ref(out->buffer.get(), 0, HAL_WHOLE_SIZE);
  const uint32_t pattern = 1;
  CHECK_THAT(hal_command_buffer_create(device_.get(), &commands, out->recording.out()) == HAL_STATUS_OK);
  CHECK_THAT(hal_command_buffer_begin(out->recording.get()) == HAL_STATUS_OK);
  CHECK_THAT(hal_command_buffer_fill(out->recording.get(), whole, &pattern, sizeof(pattern)) == HAL_STATUS_OK);
  CHECK_THAT(hal_command_buffer_end(out->recording.get()) == HAL_STATUS_OK);
  CHECK_THAT(hal_device_queue_execute(device_.get(), hal::SubmitParams(List({step(1)}), List({step(2)}), 2),
                                      out->recording.get(), {}) == HAL_STATUS_OK);
  CHECK_THAT(hal_device_queue_alloca(device_.get(), hal::SubmitParams(List({step(2)}), List({step(3)}), 4), &params,
                                     12'345, out->allocated.out()) == HAL_STATUS_OK);
  CHECK_THAT(hal_device_queue_dealloca(device_.get(), hal::SubmitParams(List({step(3)}), List({step(4)}), 4),
                                       out->allocated.get()) == HAL_STATUS_OK);
  const auto callback = [](void*, hal_status_t status) { return status; };
  CHECK_THAT(hal_device_queue_host_call(device_.get(), hal::SubmitParams(List({step(4)}), List({step(5)}), 1), callback,
                                        nullptr) == HAL_STATUS_OK);
  out->device = std::move(device_);
  out->executable = std::move(append_);
  out->log = std::move(log_buffer_);
}

void ShutDownTest::ShutDown() {
  Holdings holdings;
  SetToWork(&holdings);
  std::thread waiter([&] { CHECK_THAT(Wait(holdings.running, 1) == HAL_STATUS_DEVICE_LOST); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it sleeps
  sim().ShutDown();
  waiter.join();
  holdings.CheckLost(false);
  holdings.ReleaseAll();
  CHECK_THAT(Report().empty());
  std::fprintf(stderr, "released\n");
  std::exit(0);
}

void ShutDownTest::EndProcess() {
  SetToWork(&g_last);
  std::exit(0);
}

TEST_P(ShutDownTest, WaitsFailAndEverythingIsReleased) {
  EXPECT_EXIT(ShutDown(), testing::ExitedWithCode(0), "released");
}

TEST_P(ShutDownTest, GlobalsAreReleasedWhileTheProcessEnds) {
  EXPECT_EXIT(EndProcess(), testing::ExitedWithCode(0), "released at the end");
}

INSTANTIATE_TEST_SUITE_P(Completion, ShutDownTest,
                         testing::Values("fast", "portable", "fast&command_buffer=graph",
                                         "portable&command_buffer=graph"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.substr(0, name.find('&')) +
                                  (name.find('&') == std::string::npos ? "" : "_graph");
                         });

}  // namespace
}  // namespace halyard::interop
