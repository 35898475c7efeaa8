// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for work of 50 µs to 10 ms, as a program writes them, and the processor time that they burn.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/benchmarks.h"
#include "bench/crowd.h"
#include "overhead.h"

namespace halyard::tools {
namespace {

using bench::Time;

/// How both sides wait.
enum class Waits {
  kWait,     ///< hal_semaphore_wait(); raw: the API's own wait, which spins on CUDA
  kPoll,     ///< hal_semaphore_query() in a loop
  kBlock,    ///< HAL_WAIT_BLOCK; raw: a wait that blocks
  kCrowded,  ///< hal_semaphore_wait(), with a thread at work on every processor; raw: a wait that blocks
};

RecordedWork ChainOf(int kernels) {
  return {.kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true, .dispatches = kernels};
}

void WaitRaw(CounterpartGraph& graph, Waits manner) {
  graph.Launch();
  if (manner == Waits::kBlock || manner == Waits::kCrowded) {
    graph.Sleep();
  } else {
    graph.Wait();
  }
}

void WaitThroughHalyard(Recording& recording, Waits manner, uint32_t queue = 0) {
  recording.Launch(queue);
  if (manner == Waits::kPoll) {
    recording.Wait();
  } else {
    recording.Await(manner == Waits::kBlock ? HAL_WAIT_BLOCK : HAL_WAIT_ALL);
  }
}

/// Adds the processor time that the process burns in `work` to `*burnt`, in nanoseconds, and returns how long it takes.
template <class Work>
double TimeAndBurn(double* burnt, const Work& work) {
  const double before = bench::ProcessorTime();
  const double time = Time(work);
  *burnt += bench::ProcessorTime() - before;
  return time;
}

void CompareWaits(Sides& sides, const Comparison& comparison, int kernels, Waits manner) {
  const std::unique_ptr<CounterpartGraph> graph = sides.raw->MakeGraph(ChainOf(kernels));
  Recording recording(sides.halyard.device(), ChainOf(kernels));
  const bench::Crowd crowd(manner == Waits::kCrowded ? std::thread::hardware_concurrency() : 0);
  double raw_burnt = 0;
  double burnt = 0;
  double turns = 0;
  comparison.TakeTurns([&] { return TimeAndBurn(&raw_burnt, [&] { WaitRaw(*graph, manner); }); },
                       [&] {
                         ++turns;
                         return TimeAndBurn(&burnt, [&] { WaitThroughHalyard(recording, manner); });
                       });
  if (manner == Waits::kCrowded) return;  // the crowd burns all
  comparison.Note("raw_processor_ns", raw_burnt / turns);
  comparison.Note("processor_ns", burnt / turns);
}

/// So many threads at once, each with a stream, or a timeline, of its own.
void CompareWaitingThreads(Sides& sides, const Comparison& comparison, size_t threads) {
  constexpr int kKernels = 100;
  constexpr int kRounds = 20;
  std::vector<std::unique_ptr<CounterpartGraph>> graphs;
  std::vector<std::unique_ptr<Recording>> recordings;
  for (size_t i = 0; i < threads; ++i) {
    graphs.push_back(sides.raw->MakeGraph(ChainOf(kKernels)));
    recordings.push_back(std::make_unique<Recording>(sides.halyard.device(), ChainOf(kKernels)));
  }
  double raw_burnt = 0;
  double burnt = 0;
  double turns = 0;
  comparison.TakeTurns(
      [&] {
        return TimeAndBurn(&raw_burnt, [&] {
          OnThreads(threads, [&](size_t thread) {
            const Entered entered(*sides.raw);
            for (int i = 0; i < kRounds; ++i) WaitRaw(*graphs[thread], Waits::kBlock);
          });
        });
      },
      [&] {
        ++turns;
        return TimeAndBurn(&burnt, [&] {
          OnThreads(threads, [&](size_t thread) {
            const auto queue = static_cast<uint32_t>(thread % sides.halyard.queue_count());
            for (int i = 0; i < kRounds; ++i) WaitThroughHalyard(*recordings[thread], Waits::kWait, queue);
          });
        });
      });
  comparison.Note("raw_processor_ns", raw_burnt / turns / kRounds);
  comparison.Note("processor_ns", burnt / turns / kRounds);
}

struct WaitLine {
  Waits manner;
  const char* suffix;
  const char* what;
  bench::Target target;
};

const WaitLine kWaitLines[] = {
    {Waits::kWait, "", "until `hal_semaphore_wait()` returns (raw: the API's own wait)", {.ratio = 1.02}},
    {Waits::kPoll, "_polled", "`hal_semaphore_query()` in a loop (raw: the API's own wait)", {.ratio = 1.02}},
    {Waits::kBlock, "_blocked", "`HAL_WAIT_BLOCK` (raw: a wait that blocks)", {.above = 3000}},
    {Waits::kCrowded,
     "_crowded",
     "until `hal_semaphore_wait()` returns, a thread at work on every processor (raw: a wait that blocks)",
     {.above = 3000}},
};

}  // namespace

void AddWaitLines(Overhead& overhead) {
  for (const int kernels : {100, 1000, 10'000}) {
    if (overhead.is_quick() && kernels > 100) continue;
    for (const WaitLine& line : kWaitLines) {
      const std::string count = std::to_string(kernels);
      overhead.Add({.name = "wait_" + count + line.suffix,
                    .what = "a chain of " + count + " of `add_one`, " + line.what,
                    .turns = kernels == 10'000 ? uint64_t{50} : uint64_t{200},
                    .target = line.target,
                    .vulkan_target = bench::Target{}},
                   [kernels, manner = line.manner](Sides& sides, const Comparison& comparison) {
                     CompareWaits(sides, comparison, kernels, manner);
                   });
    }
  }
  for (const size_t threads : {4, 16, 64}) {
    if (overhead.is_quick() && threads > 4) continue;
    overhead.Add(
        {.name = "wait_" + std::to_string(threads) + "_threads",
         .what = "a chain of 100 of `add_one` on each of " + std::to_string(threads) +
                 " threads at once, until `hal_semaphore_wait()` returns (raw: a wait that blocks)",
         .turns = 20,
         .operations = 20,
         .vulkan_target = bench::Target{}},
        [threads](Sides& sides, const Comparison& comparison) { CompareWaitingThreads(sides, comparison, threads); });
  }
}

}  // namespace halyard::tools
