// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/hang_guard.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace halyard::fault_injection {
namespace {

using Clock = std::chrono::steady_clock;

/// One thread for all guards: runs are many, and short.
class Watcher {
 public:
  static Watcher& Get() {
    static auto* const watcher = new Watcher;  // its thread may outlive main()
    return *watcher;
  }

  void Watch(const std::string& what, Clock::time_point deadline) {
    const std::lock_guard lock(mutex_);
    what_ = what;
    deadline_ = deadline;
  }

 private:
  Watcher() {
    std::thread([this] { Loop(); }).detach();
  }

  // Looks now and then: to be woken for every run would cost more.
  void Loop() {
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::lock_guard lock(mutex_);
      if (Clock::now() < deadline_) continue;
      std::fprintf(stderr, "fault injection: hangs inside a call: %s; the program ends here\n", what_.c_str());
      std::abort();
    }
  }

  std::mutex mutex_;  // protects what follows
  std::string what_;
  Clock::time_point deadline_ = Clock::time_point::max();
};

}  // namespace

HangGuard::HangGuard(const std::string& what, uint64_t nanoseconds) {
  Watcher::Get().Watch(what, Clock::now() + std::chrono::nanoseconds(nanoseconds));
}

HangGuard::~HangGuard() { Watcher::Get().Watch({}, Clock::time_point::max()); }

}  // namespace halyard::fault_injection
