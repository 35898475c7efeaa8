// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches from one thread: how soon they are done, and what submitting them costs.
#include <array>
#include <chrono>
#include <thread>

#include "overhead.h"

namespace halyard::tools {
namespace {

using bench::Time;

void OneShot(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns([&] { return Time([&] { sides.raw->LaunchAndWait(kBurst); }); },
                       [&] {
                         const CommandBuffer commands = sides.halyard.RecordOnce(kBurst);
                         return Time([&] {
                           sides.halyard.Execute(commands.get());
                           sides.halyard.Wait();
                         });
                       });
}

// Recordings of one shape whose buffers are others each time.
void OneShotOtherBuffers(Sides& sides, const Comparison& comparison) {
  std::array<Buffer, 5> buffers;
  for (Buffer& buffer : buffers) buffer = sides.halyard.device().Allocate(4096);
  size_t turn = 0;
  comparison.TakeTurns([&] { return Time([&] { sides.raw->LaunchAndWait(kBurst); }); },
                       [&] {
                         const CommandBuffer commands =
                             sides.halyard.RecordSumsOnce(kBurst, buffers[++turn % buffers.size()]);
                         return Time([&] {
                           sides.halyard.Execute(commands.get());
                           sides.halyard.Wait();
                         });
                       });
}

void OneShotHostCost(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns(
      [&] {
        const double cost = Time([&] { sides.raw->LaunchMany(kBurst); });
        sides.raw->Drain();
        return cost;
      },
      [&] {
        CommandBuffer commands;
        const double cost = Time([&] {
          commands = sides.halyard.RecordOnce(kBurst);
          sides.halyard.Execute(commands.get());
        });
        sides.halyard.Wait();
        return cost;
      });
}

void SpinningHost(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns(
      [&] {
        return Time([&] {
          sides.raw->Submit(0, 0, 1);
          sides.raw->Spin(0);
        });
      },
      [&] {
        return Time([&] {
          sides.halyard.Dispatch();
          sides.halyard.Wait();
        });
      });
}

void IdleHost(Sides& sides, const Comparison& comparison) {
  const auto idle = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  comparison.TakeTurns(
      [&] {
        idle();
        return Time([&] {
          sides.raw->Submit(0, 0, 1);
          sides.raw->Spin(0);
        });
      },
      [&] {
        idle();
        return Time([&] {
          sides.halyard.Dispatch();
          sides.halyard.Wait();
        });
      });
}

void SleepingHost(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns([&] { return Time([&] { sides.raw->SubmitAndSleep(); }); },
                       [&] {
                         return Time([&] {
                           sides.halyard.Dispatch();
                           sides.halyard.Sleep();
                         });
                       });
}

void SubmissionCost(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns(
      [&] {
        const double cost = Time([&] { sides.raw->Submit(0, 0, kBurst); });
        sides.raw->Drain();
        return cost;
      },
      [&] {
        const double cost = Time([&] {
          for (int i = 0; i < kBurst; ++i) sides.halyard.Dispatch();
        });
        sides.halyard.Wait();
        return cost;
      });
}

enum class Seen { kWaited, kPolled };

void QueueEdge(Sides& sides, const Comparison& comparison, Seen seen) {
  const uint32_t last = sides.halyard.queue_count() > 1 ? 1 : 0;
  comparison.TakeTurns(
      [&] {
        return Time([&] {
          sides.raw->SubmitEdge(0);
          sides.raw->Spin(0);
        });
      },
      [&] {
        return Time([&] {
          sides.halyard.Dispatch(0);
          sides.halyard.Dispatch(last);
          if (seen == Seen::kPolled) {
            sides.halyard.Poll();
          } else {
            sides.halyard.Wait();
          }
        });
      });
}

// Raw work cannot be deferred, so it is submitted when the signal comes, one call for each dispatch.
void Released(Sides& sides, const Comparison& comparison) {
  const Semaphore gate = sides.halyard.device().MakeSemaphore();
  uint64_t opened = 0;
  comparison.TakeTurns(
      [&] {
        sides.raw->Prepare(kBurst);
        return Time([&] {
          sides.raw->SubmitPrepared(0);
          sides.raw->Spin(0);
        });
      },
      [&] {
        ++opened;
        for (int i = 0; i < kBurst; ++i) sides.halyard.DispatchBehind(gate.get(), opened);
        return Time([&] {
          Must(hal_semaphore_signal(gate.get(), opened), "signal");
          sides.halyard.Wait();
        });
      });
}

}  // namespace

void AddLaunchLines(Overhead& overhead) {
  overhead.Add({.name = "released",
                .what = "1,000 deferred dispatches released by one signal, until done, each (raw: submitted then)",
                .turns = 50,
                .operations = kBurst,
                .vulkan_target = bench::Target{.ratio = 0.5}},
               Released);
  overhead.Add({.name = "one_shot",
                .what = "1,000 empty dispatches of one recording, execute to done, each (raw: launches in a loop)",
                .turns = 50,
                .operations = kBurst,
                .target = {.ratio = 0.6},
                .vulkan_target = bench::Target{.ratio = 1.05}},
               OneShot);
  overhead.Add({.name = "one_shot_other_buffers",
                .what = "1,000 of `add_one`, a barrier after each, another buffer in each recording, execute to done, "
                        "each (raw: launches of an empty kernel in a loop)",
                .turns = 50,
                .operations = kBurst,
                .target = {.ratio = 0.6},
                .vulkan_target = bench::Target{}},
               OneShotOtherBuffers);
  overhead.Add({.name = "one_shot_host_cost",
                .what = "1,000 empty dispatches, recorded for one execution and submitted, host cost, each (raw: "
                        "launches in a loop)",
                .turns = 50,
                .operations = kBurst,
                .vulkan_target = bench::Target{.ratio = 1.1}},
               OneShotHostCost);
  overhead.Add({.name = "spinning_host",
                .what = "one dispatch, submitted until a spinning host sees it (raw: launch, record, write, spin)",
                .turns = 1000,
                .target = {.ratio = 1.15},
                .vulkan_target = bench::Target{.ratio = 1.1}},
               SpinningHost);
  overhead.Add({.name = "idle_host",
                .what = "the same after the thread has slept for 300 µs",
                .turns = 1000,
                .target = {.ratio = 1.15}},
               IdleHost);
  overhead.Add({.name = "sleeping_host",
                .what = "one dispatch, submitted until a thread that sleeps at once wakes (raw: launch, record, "
                        "blocking wait for the event)",
                .turns = 1000,
                .target = {.ratio = 1.4},
                .vulkan_target = bench::Target{.ratio = 1.15}},
               SleepingHost);
  overhead.Add({.name = "submission",
                .what = "host cost of one dispatch with a wait on the same queue and a signal (raw: launch, record, "
                        "write)",
                .turns = 50,
                .operations = kBurst,
                .target = {.above = 800},
                .vulkan_target = bench::Target{.above = 500}},
               SubmissionCost);
  overhead.Add({.name = "queue_edge",
                .what = "edge between two queues, submitted until done (raw: record, wait for the event)",
                .turns = 1000,
                .target = {.ratio = 1.05},
                .vulkan_target = bench::Target{.ratio = 1.1}},
               [](Sides& sides, const Comparison& comparison) { QueueEdge(sides, comparison, Seen::kWaited); });
  overhead.Add({.name = "queue_edge_polled",
                .what = "the same, seen with `hal_semaphore_query`",
                .turns = 1000,
                .target = {.ratio = 1.1}},
               [](Sides& sides, const Comparison& comparison) { QueueEdge(sides, comparison, Seen::kPolled); });
}

}  // namespace halyard::tools
