// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/small_mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace halyard {
namespace {

TEST(SmallMutex, LetsOneThreadInAtATime) {
  SmallMutex mutex;
  uint64_t count = 0;  // torn or lost without the lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80'000u);
}

// Each thread leaves the lock to the others while it sleeps in it.
TEST(SmallMutex, WakesEveryThreadThatSleeps) {
  SmallMutex mutex;
  int entered = 0;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        const std::lock_guard inside(mutex);
        ++entered;
        std::this_thread::yield();
      });
    }
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();  // so that some of them sleep by now, which need not be
    EXPECT_EQ(entered, 0);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 4);
}

}  // namespace
}  // namespace halyard
