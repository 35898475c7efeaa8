// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/runner/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "cts/cts.h"
#include "cts/options.h"
#include "cts/runner/patience.h"
#include "support/joining_thread.h"

namespace halyard::cts {
namespace {

using Clock = std::chrono::steady_clock;

class Watchdog : public testing::EmptyTestEventListener {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  ~Watchdog() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  void OnTestStart(const testing::TestInfo& test) override {
    std::lock_guard lock(mutex_);
    name_ = std::string(test.test_suite_name()) + "." + test.name();
    const bool slow = name_.find("Slow") != std::string::npos;
    deadline_ = Clock::now() + (slow ? 10 : 1) * Patience(std::chrono::nanoseconds(kForever), OpeningTime());
    changed_.notify_all();
  }

  void OnTestEnd(const testing::TestInfo&) override {
    std::lock_guard lock(mutex_);
    deadline_ = Clock::time_point::max();
  }

 private:
  void Watch() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
      const Clock::time_point look_again = Clock::now() + std::chrono::seconds(5);
      changed_.wait_until(lock, std::min(deadline_, look_again), [this] { return stopped_; });
      if (Clock::now() < deadline_) continue;
      std::fprintf(stderr, "halyard-cts: %s hangs; the program ends here\n", name_.c_str());
      std::abort();
    }
  }

  std::mutex mutex_;  // protects what follows, except the thread
  std::condition_variable changed_;
  std::string name_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool stopped_ = false;
  JoiningThread thread_;
};

}  // namespace

void InstallWatchdog() {
  testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);  // GoogleTest takes it over
}

}  // namespace halyard::cts
