// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host signal that releases a deferred dispatch while all threads of the device sleep, against a futex that wakes a
// thread which sleeps as long.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "bench/comparison/turns.h"
#include "futex.h"
#include "halyard/cpp/submit.hpp"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr auto kIdle = std::chrono::microseconds(100);

/// Binds this thread, and the threads that it starts, to one processor of those that the process may use.
class Bound {
 public:
  explicit Bound(int index) {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before_) && index-- == 0) CPU_SET(cpu, &one);
    }
    sched_setaffinity(0, sizeof(one), &one);  // an empty set changes nothing
  }
  ~Bound() { sched_setaffinity(0, sizeof(before_), &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  cpu_set_t before_;
};

/// A thread that sleeps until it is woken, and answers with a store that the other thread spins for.
class Sleeper {
 public:
  Sleeper() : thread_([this] { Answer(); }) {}
  ~Sleeper() {
    stop_ = true;
    wake_.Signal();
    thread_.join();
  }

  void Wake() {
    ++round_;
    wake_.Signal();
    while (answered_.load(std::memory_order_acquire) != round_) continue;
  }

 private:
  void Answer() {
    for (uint32_t round = 1;; ++round) {
      wake_.Wait(round);
      if (stop_) return;
      answered_.store(round, std::memory_order_release);
    }
  }

  Futex wake_;
  uint32_t round_ = 0;
  std::atomic<uint32_t> answered_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Dispatches of one workgroup of an empty kernel, each behind a value of a semaphore.
class Deferred {
 public:
  explicit Deferred(const char* device) : device_(OpenDevice(device)) {}

  void Submit() {
    ++value_;
    const hal_timeline_point_t wait = {gate_, value_};
    const hal_timeline_point_t signal = {done_, value_};
    const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    Check(hal_device_queue_dispatch(device_,
                                    hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1)),
                                    executable_, 0, &params));
  }
  /// Until its end is seen. Spins.
  void Release() {
    Check(hal_semaphore_signal(gate_, value_));
    for (uint64_t value = 0; value < value_;) Check(hal_semaphore_query(done_, &value));
  }

 private:
  const Device device_;
  const Semaphore gate_ = MakeSemaphore(device_);
  const Semaphore done_ = MakeSemaphore(device_);
  const Executable executable_ = LoadEmptyKernel(device_);
  uint64_t value_ = 0;
};

// The threads' processor decides what waking them up takes. So both sides have theirs on the same one.
void Compare(benchmark::State& state, Sleeper& sleeper, Deferred& deferred, const char* line) {
  Turns turns(state, 1);
  for (auto unused : state) {
    deferred.Submit();
    std::this_thread::sleep_for(kIdle);
    const double ours = Time([&] { deferred.Release(); });
    std::this_thread::sleep_for(kIdle);
    turns.Add(ours, Time([&] { sleeper.Wake(); }));
  }
  turns.Report(line, {.ratio = 1.15});
}

// The stack sizes are those of no other benchmark: each has threads of its own, which start on the processor that this
// thread is bound to.
void ReleaseOnOtherProcessor(benchmark::State& state) {
  const auto start = [](auto make) {
    const Bound other(1);
    return make();
  };
  const auto sleeper = start([] { return std::make_unique<Sleeper>(); });
  const auto deferred = start([] { return std::make_unique<Deferred>("local://task?threads=2&stack=1MiB"); });
  const Bound bound(0);
  Compare(state, *sleeper, *deferred,
          "dispatch on local://task, released after 100 µs of idling on another processor (raw: a futex that wakes a "
          "thread there)");
}
BENCHMARK(ReleaseOnOtherProcessor)->UseManualTime();

void ReleaseOnSameProcessor(benchmark::State& state) {
  const Bound bound(0);
  Sleeper sleeper;
  Deferred deferred("local://task?threads=2&stack=2MiB");
  Compare(state, sleeper, deferred,
          "the same on the processor of the thread that signals (raw: a futex that wakes a thread there)");
}
BENCHMARK(ReleaseOnSameProcessor)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
