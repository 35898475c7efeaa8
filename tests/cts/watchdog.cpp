// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/watchdog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "cts/options.h"

namespace halyard::cts {
namespace {

using Clock = std::chrono::steady_clock;

/// The bounded waits of a test end after kForever each; only a test that outlives several of them hangs permanently.
/// What is short because the waits are must still leave time to work.
std::chrono::nanoseconds Patience() {
  return std::max(std::chrono::nanoseconds(3 * kForever), std::chrono::nanoseconds(std::chrono::seconds(30)));
}

class Watchdog : public testing::EmptyTestEventListener {
 public:
  Watchdog() : thread_([this](const std::stop_token& stop) { Watch(stop); }) {}

  void OnTestStart(const testing::TestInfo& test) override {
    std::lock_guard lock(mutex_);
    name_ = std::string(test.test_suite_name()) + "." + test.name();
    const bool slow = name_.find("Slow") != std::string::npos;
    deadline_ = Clock::now() + (slow ? 10 : 1) * Patience();
    changed_.notify_all();
  }

  void OnTestEnd(const testing::TestInfo&) override {
    std::lock_guard lock(mutex_);
    deadline_ = Clock::time_point::max();
  }

 private:
  void Watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const Clock::time_point look_again = Clock::now() + std::chrono::seconds(5);
      changed_.wait_until(lock, stop, deadline_ < look_again ? deadline_ : look_again, [] { return false; });
      if (Clock::now() < deadline_) continue;
      std::fprintf(stderr, "halyard-cts: %s hangs; the program ends here\n", name_.c_str());
      std::abort();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string name_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::jthread thread_;
};

}  // namespace

void InstallWatchdog() {
  testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);  // GoogleTest takes it over
}

}  // namespace halyard::cts
