// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each way to wait for a recording, on one thread and on many, with the processor time that an execution burns.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "crowd.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::tools {
namespace {

struct WaitManner {
  const char* name;
  hal_wait_flags_t flags;
};

constexpr std::array kWaitManners = {WaitManner{"auto", HAL_WAIT_AUTO}, WaitManner{"spin", HAL_WAIT_SPIN},
                                     WaitManner{"yield", HAL_WAIT_YIELD}, WaitManner{"block", HAL_WAIT_BLOCK}};

CommandBuffer RecordChain(const BenchDevice& device, int64_t length) {
  const uint32_t ordinal = device.Export("empty");
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  CommandBuffer commands = device.BeginRecording();
  for (int64_t i = 0; i < length; ++i) {
    if (i > 0) Check(hal_command_buffer_barrier(commands.get()), ExitCode::kRun, "record a barrier");
    Check(hal_command_buffer_dispatch(commands.get(), device.Kernels(), ordinal, &params), ExitCode::kRun, "record");
  }
  Check(hal_command_buffer_end(commands.get()), ExitCode::kRun, "end a command buffer");
  return commands;
}

/// A recording and its timeline.
class ExecutedChain {
 public:
  ExecutedChain(const BenchDevice& device, int64_t length)
      : device_(device), commands_(RecordChain(device, length)), timeline_(device.MakeSemaphore()) {}

  void Execute() {
    const hal_timeline_point_t signal = hal_timeline_point(timeline_.get(), ++value_);
    Check(hal_device_queue_execute(device_.get(), hal::SubmitParams({nullptr, 0}, hal_semaphore_list(&signal, 1)),
                                   commands_.get(), hal_buffer_ref_list(nullptr, 0)),
          ExitCode::kRun, "execute");
  }
  void Wait(hal_wait_flags_t flags) const {
    const hal_timeline_point_t point = hal_timeline_point(timeline_.get(), value_);
    Check(hal_semaphore_list_wait(hal_semaphore_list(&point, 1), flags, HAL_TIMEOUT_INFINITE, nullptr), ExitCode::kRun,
          "wait");
  }
  void Poll() const {
    uint64_t value = 0;
    while (value < value_) Check(hal_semaphore_query(timeline_.get(), &value), ExitCode::kRun, "wait");
  }

 private:
  const BenchDevice& device_;
  const CommandBuffer commands_;
  const Semaphore timeline_;
  uint64_t value_ = 0;
};

/// Runs the benchmark's loop with `body`, and tells the processor time of an iteration.
template <class Body>
void Measure(benchmark::State& state, const Body& body) {
  const double before = bench::ProcessorTime();
  for (auto _ : state) body();
  state.counters["processor_ns"] =
      (bench::ProcessorTime() - before) / static_cast<double>(std::max<int64_t>(state.iterations(), 1));
}

void WaitForChain(const BenchDevice& device, hal_wait_flags_t flags, benchmark::State& state) {
  ExecutedChain chain(device, state.range(0));
  Measure(state, [&] {
    chain.Execute();
    chain.Wait(flags);
  });
}

void PollForChain(const BenchDevice& device, benchmark::State& state) {
  ExecutedChain chain(device, state.range(0));
  Measure(state, [&] {
    chain.Execute();
    chain.Poll();
  });
}

/// Threads that execute and wait, each with a recording of its own; an iteration is some rounds of all of them.
void WaitOnThreads(const BenchDevice& device, hal_wait_flags_t flags, benchmark::State& state) {
  constexpr int kLength = 100;
  constexpr int kRounds = 10;
  std::vector<std::unique_ptr<ExecutedChain>> chains;
  for (int64_t i = 0; i < state.range(0); ++i) chains.push_back(std::make_unique<ExecutedChain>(device, kLength));
  Measure(state, [&] {
    OnThreads(chains.size(), [&](size_t thread) {
      for (int i = 0; i < kRounds; ++i) {
        chains[thread]->Execute();
        chains[thread]->Wait(flags);
      }
    });
  });
  state.SetItemsProcessed(state.iterations() * kRounds * state.range(0));
}

}  // namespace

void RegisterWaitBenchmarks(const BenchDevice& device) {
  const auto lengths = [](benchmark::internal::Benchmark* benchmark) { benchmark->Arg(10)->Arg(100)->Arg(1000); };
  lengths(Register("wait/polled", [&device](benchmark::State& state) { PollForChain(device, state); }));
  for (const WaitManner& manner : kWaitManners) {
    const hal_wait_flags_t flags = manner.flags;
    const std::string name = std::string("wait/") + manner.name;
    lengths(Register(name, [&device, flags](benchmark::State& state) { WaitForChain(device, flags, state); }));
    if (flags == HAL_WAIT_SPIN || flags == HAL_WAIT_YIELD) continue;
    Register(name + "_on_threads", [&device, flags](benchmark::State& state) { WaitOnThreads(device, flags, state); })
        ->Arg(4)
        ->Arg(16)
        ->Arg(64);
  }
}

}  // namespace halyard::tools
