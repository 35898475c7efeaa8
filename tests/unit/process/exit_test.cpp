// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls into the library while the process ends, when thread-local objects are destroyed already. Each test ends a
// child process; a sanitizer would make its exit code another.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

namespace halyard {
namespace {

void FailOnce() {
  hal_device_t* device = nullptr;
  hal_device_create(hal_string_view("nobody://"), &device);
}

void FailAtExit() {
  FailOnce();
  if (std::strstr(hal_last_error_message(), "nobody") == nullptr) std::_Exit(7);
}

TEST(ExitTest, AFailureInAnExitHandlerHasItsMessage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        FailOnce();  // so that the thread has a message to lose
        std::atexit(FailAtExit);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

void (*g_after_the_library)() = nullptr;

// Registered before the library's constructors run, so that exit() runs it after the library's destructors.
[[gnu::constructor(101)]] void RegisterEarly() {
  std::atexit([] {
    if (g_after_the_library) g_after_the_library();
  });
}

/// A thread that fails for the first time when the library's destructors have run. Only the end of the thread orders it
/// after them, so that a thread sanitizer sees each access that no lock protects.
std::atomic<bool> g_may_fail{false};
std::thread* g_thread = nullptr;

TEST(ExitTest, AThreadMayFailForTheFirstTimeWhileTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        FailOnce();
        g_thread = new std::thread([] {
          while (!g_may_fail.load(std::memory_order_relaxed)) std::this_thread::yield();
          FailAtExit();
        });
        g_after_the_library = [] {
          g_may_fail.store(true, std::memory_order_relaxed);
          g_thread->join();
          delete g_thread;
        };
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

/// A global that holds a device, as applications have them.
struct Holder {
  hal_device_t* device = nullptr;
  hal_semaphore_t* wait = nullptr;
  hal_semaphore_t* signal = nullptr;

  void Open() {
    hal_device_create(hal_string_view("local://sync"), &device);
    hal_semaphore_create(device, nullptr, &wait);
    hal_semaphore_create(device, nullptr, &signal);
    const hal_timeline_point_t waits = {wait, 1};
    const hal_timeline_point_t signals = {signal, 1};
    hal_device_queue_barrier(device, hal::SubmitParams(hal_semaphore_list(&waits, 1), hal_semaphore_list(&signals, 1)));
  }
  ~Holder() {
    hal_semaphore_release(wait);  // cancels what waits for it, with a message
    hal_semaphore_release(signal);
    hal_device_release(device);
  }
};

TEST(ExitTest, AGlobalMayReleaseWhatOperationsStillWaitFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Holder holder;
        holder.Open();
        FailOnce();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace halyard
