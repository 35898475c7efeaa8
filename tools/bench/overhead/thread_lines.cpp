// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads: sixteen that submit, and one that launches what another has deferred.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/benchmarks.h"
#include "overhead.h"

namespace halyard::tools {
namespace {

using bench::Time;

constexpr size_t kThreads = Counterpart::kWriters;
constexpr int kPerThread = 2000;

/// Nanoseconds until all threads are through `body(thread)`.
double TimeOnThreads(const std::function<void(size_t)>& body) {
  return Time([&] { OnThreads(kThreads, body); });
}

double SubmitRaw(Counterpart& raw) {
  const double time = TimeOnThreads([&](size_t thread) {
    const Entered entered(raw);
    raw.Submit(thread % Counterpart::kStreams, thread, kPerThread);
  });
  raw.Drain();
  return time;
}

double SubmitThroughHalyard(const HalyardSide& halyard) {
  std::vector<Semaphore> timelines(kThreads);
  for (Semaphore& timeline : timelines) timeline = halyard.device().MakeSemaphore();
  const double time = TimeOnThreads([&](size_t thread) {
    const auto queue = static_cast<uint32_t>(thread % halyard.queue_count());
    uint64_t value = 0;
    for (int i = 0; i < kPerThread; ++i) value = halyard.DispatchOn(queue, timelines[thread].get(), value);
  });
  for (const Semaphore& timeline : timelines) {
    Must(hal_semaphore_wait(timeline.get(), kPerThread, HAL_TIMEOUT_INFINITE), "wait");
  }
  return time;
}

void Threads(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns([&] { return SubmitRaw(*sides.raw); }, [&] { return SubmitThroughHalyard(sides.halyard); });
}

/// A thread that launches work when it is told to: as a program needs that defers work by itself.
class LaunchingThread {
 public:
  explicit LaunchingThread(Counterpart& raw) : raw_(raw), thread_([this] { Loop(); }) {}
  ~LaunchingThread() {
    Tell(Order::kStop);
    thread_.join();
  }
  void Launch() { Tell(Order::kLaunch); }

 private:
  enum class Order { kNone, kLaunch, kStop };

  void Tell(Order order) {
    {
      const std::lock_guard lock(mutex_);
      order_ = order;
    }
    changed_.notify_one();
  }
  // A failure ends it, which the one that spins for the launch finds out.
  void Loop() {
    try {
      const Entered entered(raw_);
      std::unique_lock lock(mutex_);
      while (true) {
        changed_.wait(lock, [this] { return order_ != Order::kNone; });
        if (order_ == Order::kStop) return;
        order_ = Order::kNone;
        raw_.LaunchWithWrite(0);
      }
    } catch (const Failure&) {
      return;
    }
  }

  Counterpart& raw_;
  std::mutex mutex_;  // protects order_, and hands over what the writer was told
  std::condition_variable changed_;
  Order order_ = Order::kNone;
  std::thread thread_;
};

void Release(Sides& sides, const Comparison& comparison) {
  constexpr auto kFallsAsleepWithin = std::chrono::microseconds(100);
  LaunchingThread launcher(*sides.raw);
  const Semaphore gate = sides.halyard.device().MakeSemaphore();
  uint64_t opened = 0;
  comparison.TakeTurns(
      [&] {
        std::this_thread::sleep_for(kFallsAsleepWithin);
        sides.raw->ExpectWrite(0);
        return Time([&] {
          launcher.Launch();
          sides.raw->Spin(0);
        });
      },
      [&] {
        sides.halyard.DispatchBehind(gate.get(), ++opened);
        return Time([&] {
          Must(hal_semaphore_signal(gate.get(), opened), "signal");
          sides.halyard.Wait();
        });
      });
}

}  // namespace

void AddThreadLines(Overhead& overhead) {
  overhead.Add({.name = "16_threads",
                .what = "16 threads to 8 queues, each submission (raw: launch, record, write)",
                .turns = 10,
                .operations = kThreads * double{kPerThread},
                .target = {.ratio = 1 / 0.85}},
               Threads);
  overhead.Add({.name = "release",
                .what = "host signal that releases held work, until its end is seen (raw: a condition variable, a "
                        "thread that launches and writes)",
                .turns = 1000,
                .target = {.ratio = 1.15}},
               Release);
}

}  // namespace halyard::tools
