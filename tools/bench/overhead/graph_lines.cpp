// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers that are executed many times, against graphs.
#include <algorithm>

#include "overhead.h"

namespace halyard::tools {
namespace {

using bench::Time;

constexpr double kLong = 50e3;  // nanoseconds that a kernel takes which is not short

enum class Until { kSubmitted, kDone, kAwake };
enum class Buffers { kSame, kOtherEachTime };

/// Nanoseconds from the submission on. Both sides are used alike.
template <class Graph>
double Run(Graph& graph, Buffers buffers, Until until) {
  double submitted = 0;
  const double done = Time([&] {
    submitted = Time([&] {
      if (buffers == Buffers::kOtherEachTime) graph.Patch();
      graph.Launch();
    });
    if (until == Until::kAwake) {
      graph.Sleep();
    } else {
      graph.Wait();
    }
  });
  return until == Until::kSubmitted ? submitted : done;
}

void Compare(Sides& sides, const Comparison& comparison, const RecordedWork& work, Buffers buffers, Until until) {
  const std::unique_ptr<CounterpartGraph> graph = sides.raw->MakeGraph(work);
  Recording recording(sides.halyard.device(), work);
  comparison.TakeTurns([&] { return Run(*graph, buffers, until); }, [&] { return Run(recording, buffers, until); });
}

/// So many steps that 'spin' takes kLong on this device, launch and wait left out.
uint32_t StepsOfLongKernel(Counterpart& raw) {
  constexpr uint32_t kSample = 4000;
  constexpr uint32_t kMost = 20'000;  // which no device is fast enough for
  RecordedWork work = {.kernel = "spin", .threads = 1, .chained = false, .steps = 0, .has_buffer = true};
  const double empty = raw.KernelTime(work);
  work.steps = kSample;
  const double sample = std::max(raw.KernelTime(work) - empty, 1.0);
  return static_cast<uint32_t>(std::clamp(kSample * kLong / sample, 1.0, double{kMost}));
}

void LongKernels(Sides& sides, const Comparison& comparison) {
  const RecordedWork work = {
      .kernel = "spin", .threads = 1, .chained = false, .steps = StepsOfLongKernel(*sides.raw), .has_buffer = true};
  comparison.Note("kernel_ns", sides.raw->KernelTime(work));  // launched and waited for
  const std::unique_ptr<CounterpartGraph> graph = sides.raw->MakeGraph(work);
  Recording recording(sides.halyard.device(), work);
  comparison.Note("first_execution_ns", Run(recording, Buffers::kSame, Until::kDone));
  comparison.Note("second_execution_ns", Run(recording, Buffers::kSame, Until::kDone));
  comparison.TakeTurns([&] { return Run(*graph, Buffers::kSame, Until::kDone); },
                       [&] { return Run(recording, Buffers::kSame, Until::kDone); });
}

/// A line until the work is done, and one of what the host has to do for it.
void AddPair(Overhead& overhead, const RecordedWork& work, Buffers buffers, Line line) {
  const auto body = [work, buffers](Until until) {
    return [=](Sides& sides, const Comparison& comparison) { Compare(sides, comparison, work, buffers, until); };
  };
  line.turns = 100;
  overhead.Add(line, body(Until::kDone));
  line.name += "_host_cost";
  line.what = "the same, host cost";
  line.target = {};
  line.vulkan_target.reset();
  overhead.Add(line, body(Until::kSubmitted));
}

/// A recording of one dispatch, which costs nothing but being submitted and seen.
void Single(Sides& sides, const Comparison& comparison, Until until) {
  Compare(sides, comparison, {.kernel = "empty", .threads = 1, .chained = false, .dispatches = 1}, Buffers::kSame,
          until);
}

/// Each dispatch adds to what the one before it wrote: without order, some would be lost.
void Barriers(Sides& sides, const Comparison& comparison) {
  const RecordedWork work = {.kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true};
  const std::unique_ptr<CounterpartGraph> graph = sides.raw->MakeGraph(work);
  Recording recording(sides.halyard.device(), work);
  comparison.TakeTurns([&] { return Run(*graph, Buffers::kSame, Until::kDone); },
                       [&] { return Run(recording, Buffers::kSame, Until::kDone); });
  recording.CheckCounts(work);
}

/// Both sides are Halyard's: what another buffer in the table costs.
void ChangedSlot(Sides& sides, const Comparison& comparison) {
  const RecordedWork work = {
      .kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true, .dispatches = 100};
  Recording same(sides.halyard.device(), work);
  Recording other(sides.halyard.device(), work);
  comparison.TakeTurns([&] { return Run(same, Buffers::kSame, Until::kDone); },
                       [&] { return Run(other, Buffers::kOtherEachTime, Until::kDone); });
}

/// Tables that no graph was kept for, against a graph of which all nodes are patched.
void NewSlot(Sides& sides, const Comparison& comparison) {
  const RecordedWork work = {
      .kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true, .dispatches = 100};
  const std::unique_ptr<CounterpartGraph> graph = sides.raw->MakeGraph(work);
  Recording recording(sides.halyard.device(), work);
  comparison.TakeTurns([&] { return Run(*graph, Buffers::kOtherEachTime, Until::kDone); },
                       [&] {
                         recording.PatchInTurn();
                         return Run(recording, Buffers::kSame, Until::kDone);
                       });
}

}  // namespace

void AddGraphLines(Overhead& overhead) {
  overhead.Add(
      {.name = "replay_1",
       .what = "a recording of one dispatch, submitted until a spinning host sees it (raw: a graph of one node)",
       .turns = 1000,
       .target = {.ratio = 1.1}},
      [](Sides& sides, const Comparison& comparison) { Single(sides, comparison, Until::kDone); });
  overhead.Add({.name = "replay_1_asleep",
                .what = "the same, until a thread that sleeps at once wakes (raw: a blocking wait)",
                .turns = 1000,
                .vulkan_target = bench::Target{.ratio = 1.15}},
               [](Sides& sides, const Comparison& comparison) { Single(sides, comparison, Until::kAwake); });
  overhead.Add({.name = "barriers",
                .what = "1,000 of `add_one`, a barrier of all stages after each, submitted until done (raw: the "
                        "narrowest order that there is)",
                .turns = 100,
                .vulkan_target = bench::Target{.ratio = 1.05}},
               Barriers);
  overhead.Add(
      {.name = "changed_slot",
       .what = "100 of `add_one`, two buffers in turn in the table, submitted until done (raw: Halyard, the same "
               "buffer)",
       .turns = 300,
       .target = {.above = 3000}},
      ChangedSlot);
  overhead.Add({.name = "new_slot",
                .what = "the same with 16 buffers in turn (raw: a graph of which all nodes are patched)",
                .turns = 300,
                .target = {.above = 3000},
                .vulkan_target = bench::Target{}},
               NewSlot);
  AddPair(overhead, {.kernel = "empty", .threads = 1, .chained = true}, Buffers::kSame,
          {.name = "graph_chain",
           .what = "1,000 empty kernels, a barrier after each, submitted until done (raw: a graph of a chain)",
           .turns = 0,
           .target = {.ratio = 1.05},
           .vulkan_target = bench::Target{.ratio = 1.03}});
  AddPair(overhead, {.kernel = "empty", .threads = 1, .chained = false}, Buffers::kSame,
          {.name = "graph_independent",
           .what = "1,000 empty kernels, no barriers, submitted until done (raw: a graph of independent nodes)",
           .turns = 0,
           .target = {.ratio = 1.0 / 3},
           .vulkan_target = bench::Target{}});
  AddPair(overhead,
          {.kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true, .lanes = 8, .tracked = true},
          Buffers::kSame,
          {.name = "tracked",
           .what = "1,000 of `add_one` in 8 chains, whose order the recording finds from their ranges, submitted until "
                   "done (raw: a graph with these edges; Vulkan: a barrier after every 8)",
           .turns = 0,
           .target = {.ratio = 1.0},
           .vulkan_target = bench::Target{.ratio = 1.05}});
  overhead.Add({.name = "graph_long_kernels",
                .what = "1,000 kernels of one block and 50 µs, no barriers, submitted until done (raw: a graph of "
                        "independent nodes)",
                .turns = 100,
                .target = {.ratio = 0.7},
                .vulkan_target = bench::Target{}},
               LongKernels);
  AddPair(overhead, {.kernel = "add_one", .threads = 64, .chained = true, .has_buffer = true}, Buffers::kOtherEachTime,
          {.name = "graph_other_buffers",
           .what = "1,000 of `add_one`, a barrier after each, another buffer in the table each time, submitted until "
                   "done (raw: all nodes patched)",
           .turns = 0});
}

}  // namespace halyard::tools
