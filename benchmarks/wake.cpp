// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host signal that wakes a waiting thread, against a bare futex that does.
#include <atomic>
#include <thread>

#include "bench/comparison/turns.h"
#include "futex.h"
#include "objects.h"

namespace halyard::bench {
namespace {

/// A thread that answers each signal with one of its own: of a semaphore, then of a futex, and so on.
class Partner {
 public:
  Partner() : thread_([this] { Answer(); }) {}
  ~Partner() {
    stop_ = true;
    Check(hal_semaphore_signal(ping_, round_ + 1));
    thread_.join();
  }

  void RoundTrip() {
    ++round_;
    Check(hal_semaphore_signal(ping_, round_));
    Wait(pong_, round_);
  }
  void FutexRoundTrip() {
    futex_ping_.Signal();
    futex_pong_.Wait(static_cast<uint32_t>(round_));
  }

 private:
  void Answer() {
    for (uint64_t round = 1;; ++round) {
      Wait(ping_, round);
      if (stop_) return;
      Check(hal_semaphore_signal(pong_, round));
      futex_ping_.Wait(static_cast<uint32_t>(round));
      futex_pong_.Signal();
    }
  }

  const Device device_ = OpenDevice("local://sync");
  const Semaphore ping_ = MakeSemaphore(device_);
  const Semaphore pong_ = MakeSemaphore(device_);
  Futex futex_ping_;
  Futex futex_pong_;
  uint64_t round_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

void Wake(benchmark::State& state) {
  Partner partner;
  // Two wake-ups to a round trip.
  TakeTurns(
      state, 2, [&] { partner.RoundTrip(); }, [&] { partner.FutexRoundTrip(); })
      .Report("host signal that wakes a waiting thread (raw: a futex)", {.ratio = 1.5});
}
BENCHMARK(Wake)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
