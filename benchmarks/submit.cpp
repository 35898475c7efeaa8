// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Submissions from several threads at once.
#include "halyard/cpp/submit.hpp"

#include <algorithm>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "bench/comparison/turns.h"
#include "objects.h"

namespace halyard::bench {
namespace {

// Each thread submits barriers that signal a semaphore of its own, then waits for the last.
void SubmitFromThreads(benchmark::State& state, const char* uri) {
  constexpr uint64_t kEach = 2000;
  const Device device = OpenDevice(uri);
  const auto count = static_cast<size_t>(state.range(0));
  const auto submit = [&](hal_semaphore_t* done, uint64_t first) {
    hal_timeline_point_t signal = {done, first};
    for (uint64_t i = 0; i < kEach; ++i) {
      ++signal.value;
      Check(hal_device_queue_barrier(device,
                                     hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1))));
    }
    Wait(done, signal.value);
  };

  bool stop = false;  // read after the barrier has been passed
  std::barrier begin(static_cast<ptrdiff_t>(count) + 1);
  std::barrier end(static_cast<ptrdiff_t>(count) + 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      const Semaphore done = MakeSemaphore(device);
      for (uint64_t value = 0;; value += kEach) {
        begin.arrive_and_wait();
        if (stop) return;
        submit(done, value);
        end.arrive_and_wait();
      }
    });
  }
  const auto round = [&] {
    begin.arrive_and_wait();
    end.arrive_and_wait();
  };
  const Turns turns = Repeat(state, static_cast<double>(kEach * count), round);
  stop = true;
  begin.arrive_and_wait();
  for (std::thread& thread : threads) thread.join();

  const std::string what = "barrier submitted to " + std::string(uri) + " from " + std::to_string(count) +
                           (count == 1 ? " thread" : " threads") + ", each";
  turns.Report(what.c_str());
}

void SubmitToSync(benchmark::State& state) { SubmitFromThreads(state, "local://sync"); }
BENCHMARK(SubmitToSync)->UseManualTime()->Arg(1)->Arg(4)->Arg(16);

void SubmitToTask(benchmark::State& state) { SubmitFromThreads(state, "local://task"); }
BENCHMARK(SubmitToTask)->UseManualTime()->Arg(1)->Arg(4)->Arg(16);

}  // namespace
}  // namespace halyard::bench
