// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process ends while a thread of the library is inside a call of the vendor that returns late, as on a loaded
// machine. The vendor's library finds no thread inside when it shuts down, and none comes later. Each test is a process
// of its own.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

constexpr uint64_t kLate = 600;  // milliseconds; the drain at exit takes 250 at most

/// Looks at what the simulation has reported once all handlers of exit() have run: this is made before main(), and so
/// destroyed last.
struct LastLook {
  bool armed = false;
  ~LastLook() {
    if (!armed) return;
    char text[1024] = "";
    vendor::Control().Report(text, sizeof(text));
    const bool clean = vendor::Control().Reports("call-at-exit") == 0;
    std::fprintf(stderr, "%s\n%s", text, clean ? "no thread was inside\n" : "");
    std::fflush(stderr);
    _exit(clean ? 0 : 1);
  }
};
LastLook g_last_look;

class ExitTest : public InteropTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
    InteropTest::SetUp();
  }
  /// Ends the process once a thread of the library is inside a call of the function.
  [[noreturn]] void EndWithin(const char* function) {
    while (sim().ThreadsInside(function) == 0) std::this_thread::yield();
    g_last_look.armed = true;
    std::exit(0);
  }
  // The completion thread looks after work that goes on.
  [[noreturn]] void EndWithinAQuery() {
    alarm(kPatience);
    Close(QueueStream(device_, 0));
    const Ref<hal_semaphore_t> done = MakeSemaphore();
    sim().ReturnLate(vendor::kNames.query_event, kLate);
    static_cast<void>(QueueAppend({}, {{done.get(), 1}}, 1));
    EndWithin(vendor::kNames.query_event);
  }
  // A thread of another device releases work, and hands it over.
  [[noreturn]] void EndWithinALaunch() {
    alarm(kPatience);
    Ref<hal_device_t> host;
    Ref<hal_semaphore_t> released;
    static_cast<void>(hal_device_create(hal_string_view("local://task?threads=1"), host.out()));
    static_cast<void>(hal_semaphore_create(host.get(), nullptr, released.out()));
    sim().ReturnLate(vendor::kNames.launch, kLate);
    const Ref<hal_semaphore_t> done = MakeSemaphore();
    static_cast<void>(QueueAppend({{released.get(), 1}}, {{done.get(), 1}}, 1));
    const auto callback = [](void*, hal_status_t status) { return status; };
    static_cast<void>(hal_device_queue_host_call(host.get(), hal::SubmitParams({}, List({{released.get(), 1}}), 1),
                                                 callback, nullptr));
    EndWithin(vendor::kNames.launch);
  }
};

TEST_P(ExitTest, WaitsForTheCompletionThreadInsideAQuery) {
  EXPECT_EXIT(EndWithinAQuery(), testing::ExitedWithCode(0), "no thread was inside");
}

TEST_P(ExitTest, WaitsForAThreadOfAnotherDeviceInsideALaunch) {
  EXPECT_EXIT(EndWithinALaunch(), testing::ExitedWithCode(0), "no thread was inside");
}

INSTANTIATE_TEST_SUITE_P(Completion, ExitTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
