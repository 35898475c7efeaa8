// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Batches of commands, recorded once and executed many times.
#include <functional>

#include "benchmarks.h"
#include "halyard/cpp/submit.hpp"
#include "support/program/timeline.h"

namespace halyard::tools {
namespace {

constexpr uint64_t kFillLength = 4096;  // bytes

void EndRecording(hal_command_buffer_t* commands) {
  Check(hal_command_buffer_end(commands), ExitCode::kRun, "end a command buffer");
}

void Barrier(hal_command_buffer_t* commands) {
  Check(hal_command_buffer_barrier(commands), ExitCode::kRun, "record a barrier");
}

void Execute(const BenchDevice& device, hal_command_buffer_t* commands, benchmark::State& state) {
  Timeline timeline(device.get());
  for (auto _ : state) {
    timeline.Submit("execute", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_execute(device.get(), hal::SubmitParams(waits, signals), commands,
                                      hal_buffer_ref_list(nullptr, 0));
    });
    timeline.Wait("execute");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Empty kernels, with a barrier between each two or none at all.
void Dispatches(const BenchDevice& device, bool barriers, benchmark::State& state) {
  const uint32_t ordinal = device.Export("empty");
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  const CommandBuffer commands = device.BeginRecording();
  for (int64_t i = 0; i < state.range(0); ++i) {
    if (barriers && i > 0) Barrier(commands.get());
    Check(hal_command_buffer_dispatch(commands.get(), device.Kernels(), ordinal, &params), ExitCode::kRun, "record");
  }
  EndRecording(commands.get());
  Execute(device, commands.get(), state);
}

// Small fills of different places.
void Fills(const BenchDevice& device, benchmark::State& state) {
  const Buffer buffer = device.Allocate(static_cast<uint64_t>(state.range(0)) * kFillLength);
  const CommandBuffer commands = device.BeginRecording();
  const uint32_t pattern = 7;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const auto target = hal_buffer_ref(buffer.get(), static_cast<uint64_t>(i) * kFillLength, kFillLength);
    Check(hal_command_buffer_fill(commands.get(), target, &pattern, sizeof(pattern)), ExitCode::kRun, "record");
  }
  EndRecording(commands.get());
  Execute(device, commands.get(), state);
}

// Recording the command buffer itself.
void Record(const BenchDevice& device, benchmark::State& state) {
  const uint32_t ordinal = device.Export("empty");
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  for (auto _ : state) {
    const CommandBuffer commands = device.BeginRecording();
    for (int64_t i = 0; i < state.range(0); ++i) {
      Check(hal_command_buffer_dispatch(commands.get(), device.Kernels(), ordinal, &params), ExitCode::kRun, "record");
    }
    EndRecording(commands.get());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void AddCounts(benchmark::internal::Benchmark* benchmark) { benchmark->Arg(1)->Arg(16)->Arg(256); }

}  // namespace

void RegisterRecordingBenchmarks(const BenchDevice& device) {
  AddCounts(Register("recording/dispatches", [&device](benchmark::State& state) { Dispatches(device, false, state); }));
  AddCounts(Register("recording/dispatches_and_barriers",
                     [&device](benchmark::State& state) { Dispatches(device, true, state); }));
  AddCounts(Register("recording/fills_of_4_KiB", [&device](benchmark::State& state) { Fills(device, state); }));
  AddCounts(Register("recording/record_dispatches", [&device](benchmark::State& state) { Record(device, state); }));
}

}  // namespace halyard::tools
