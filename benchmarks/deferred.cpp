// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that wait: many of them on values of one semaphore, then all released by one signal. What one operation
// costs must not depend on how many wait with it, so a crowd is compared with as many operations in small groups.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/comparison/turns.h"
#include "halyard/cpp/submit.hpp"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr uint64_t kGroup = 100;

/// Submits deferred operations and releases them.
class DeferredCrowd {
 public:
  /// Operations wait for the values 1 … `count` of a semaphore, in the order in which they are submitted or in none.
  DeferredCrowd(uint64_t count, bool in_order) : order_(count) {
    std::iota(order_.begin(), order_.end(), uint64_t{1});
    std::mt19937_64 random(count);
    if (!in_order) std::shuffle(order_.begin(), order_.end(), random);
  }

  void SubmitAndRelease() {
    const uint64_t first = released_;
    for (const uint64_t value : order_) {
      const hal_timeline_point_t wait = {gate_, first + value};
      const hal_timeline_point_t signal = {done_, first + value};
      Check(hal_device_queue_barrier(device_,
                                     hal::SubmitParams(hal_semaphore_list(&wait, 1), hal_semaphore_list(&signal, 1))));
    }
    released_ += order_.size();
    Check(hal_semaphore_signal(gate_, released_));
    Wait(done_, released_);
  }

 private:
  const Device device_ = OpenDevice("local://sync");
  const Semaphore gate_ = MakeSemaphore(device_);
  const Semaphore done_ = MakeSemaphore(device_);
  std::vector<uint64_t> order_;
  uint64_t released_ = 0;
};

void RunDeferred(benchmark::State& state, bool in_order) {
  const auto count = static_cast<uint64_t>(state.range(0));
  // A turn has 100,000 operations on each side, so that both sides take as long.
  constexpr uint64_t kOperations = 100'000;
  DeferredCrowd crowd(count, in_order);
  DeferredCrowd group(kGroup, in_order);
  const auto repeat = [](DeferredCrowd& deferred, uint64_t times) {
    for (uint64_t i = 0; i < times; ++i) deferred.SubmitAndRelease();
  };
  crowd.SubmitAndRelease();  // so that pools are warm
  const Turns turns = TakeTurns(
      state, kOperations, [&] { repeat(crowd, kOperations / count); }, [&] { repeat(group, kOperations / kGroup); });
  const std::string what = std::to_string(count) + " operations deferred" + (in_order ? "" : ", in random order") +
                           ", each (raw: in groups of 100)";
  turns.Report(what.c_str(), Target{.ratio = in_order ? 1.5 : 2});
}

void DeferredInOrder(benchmark::State& state) { RunDeferred(state, true); }
BENCHMARK(DeferredInOrder)->UseManualTime()->Arg(100)->Arg(1000)->Arg(10'000)->Arg(100'000);

void DeferredAtRandom(benchmark::State& state) { RunDeferred(state, false); }
BENCHMARK(DeferredAtRandom)->UseManualTime()->Arg(100)->Arg(1000)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace halyard::bench
