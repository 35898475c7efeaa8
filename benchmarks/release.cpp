// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host signal that releases a deferred dispatch while all threads of the device sleep, against a futex that wakes a
// thread which sleeps as long.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bench/comparison/turns.h"
#include "futex.h"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr auto kIdle = std::chrono::microseconds(100);

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
  void Submit() {
    ++value_;
    const hal_timeline_point_t wait = {gate_, value_};
    const hal_timeline_point_t signal = {done_, value_};
    const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    Check(hal_device_queue_dispatch(device_, HAL_QUEUE_ANY, hal_semaphore_list(&wait, 1),
                                    hal_semaphore_list(&signal, 1), executable_, 0, &params));
  }
  /// Until its end is seen. Spins.
  void Release() {
    Check(hal_semaphore_signal(gate_, value_));
    for (uint64_t value = 0; value < value_;) Check(hal_semaphore_query(done_, &value));
  }

 private:
  const Device device_ = OpenDevice("local://task");
  const Semaphore gate_ = MakeSemaphore(device_);
  const Semaphore done_ = MakeSemaphore(device_);
  const Executable executable_ = LoadEmptyKernel(device_);
  uint64_t value_ = 0;
};

void ReleaseOnTask(benchmark::State& state) {
  Sleeper sleeper;
  Deferred deferred;
  Turns turns(state, 1);
  for (auto unused : state) {
    deferred.Submit();
    std::this_thread::sleep_for(kIdle);
    const double ours = Time([&] { deferred.Release(); });
    std::this_thread::sleep_for(kIdle);
    turns.Add(ours, Time([&] { sleeper.Wake(); }));
  }
  turns.Report("dispatch on local://task, released after 100 µs of idling (raw: a futex that wakes an idle thread)",
               {.ratio = 1.15});
}
BENCHMARK(ReleaseOnTask)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
