// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast memory is filled and copied.
#include <algorithm>
#include <vector>

#include "benchmarks.h"
#include "halyard/cpp/submit.hpp"
#include "support/program/timeline.h"

namespace halyard::tools {
namespace {

constexpr int64_t kSmallest = int64_t{4} << 10;
constexpr int64_t kLargest = int64_t{256} << 20;
constexpr int kFactor = 16;

hal_buffer_ref_t Whole(const Buffer& buffer) { return hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE); }

uint64_t Length(const benchmark::State& state) { return static_cast<uint64_t>(state.range(0)); }

void Fill(const BenchDevice& device, benchmark::State& state) {
  const Buffer buffer = device.Allocate(Length(state));
  const uint32_t pattern = 0x01020304;
  Timeline timeline(device.get());
  for (auto _ : state) {
    timeline.Submit("fill", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_fill(device.get(), hal::SubmitParams(waits, signals), Whole(buffer), &pattern,
                                   sizeof(pattern));
    });
    timeline.Wait("fill");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

// Bytes are counted once, though each is read and written.
void Copy(const BenchDevice& device, const hal_buffer_params_t& from, const hal_buffer_params_t& to,
          benchmark::State& state) {
  const Buffer source = device.Allocate(Length(state), from);
  const Buffer target = device.Allocate(Length(state), to);
  Timeline timeline(device.get());
  for (auto _ : state) {
    timeline.Submit("copy", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_copy(device.get(), hal::SubmitParams(waits, signals), Whole(source), Whole(target));
    });
    timeline.Wait("copy");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void HostWrite(const BenchDevice& device, benchmark::State& state) {
  const Buffer buffer = device.Allocate(Length(state), HAL_BUFFER_PARAMS_STAGING_INIT);
  const std::vector<char> data(Length(state), 1);
  for (auto _ : state) {
    Check(hal_buffer_write(buffer.get(), 0, data.data(), data.size()), ExitCode::kRun, "write");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void HostRead(const BenchDevice& device, benchmark::State& state) {
  const Buffer buffer = device.Allocate(Length(state), HAL_BUFFER_PARAMS_STAGING_INIT);
  std::vector<char> data(Length(state), 1);
  // Memory that was never written may not be there yet.
  Check(hal_buffer_write(buffer.get(), 0, data.data(), data.size()), ExitCode::kRun, "write");
  for (auto _ : state) {
    Check(hal_buffer_read(buffer.get(), 0, data.data(), data.size()), ExitCode::kRun, "read");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

// Sizes from small to large, as far as two buffers fit into an eighth of the memory.
void AddSizes(const BenchDevice& device, benchmark::internal::Benchmark* benchmark) {
  const uint64_t room =
      std::min(device.LargestBuffer(HAL_BUFFER_PARAMS_INIT), device.LargestBuffer(HAL_BUFFER_PARAMS_STAGING_INIT)) / 16;
  for (int64_t size = kSmallest; size <= kLargest; size *= kFactor) {
    if (size == kSmallest || static_cast<uint64_t>(size) <= room) benchmark->Arg(size);
  }
}

}  // namespace

void RegisterTransferBenchmarks(const BenchDevice& device) {
  const hal_buffer_params_t on_device = HAL_BUFFER_PARAMS_INIT;
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  const auto copy = [&device](const hal_buffer_params_t& from, const hal_buffer_params_t& to) {
    return [&device, from, to](benchmark::State& state) { Copy(device, from, to, state); };
  };
  AddSizes(device, Register("fill", [&device](benchmark::State& state) { Fill(device, state); }));
  AddSizes(device, Register("copy/device_to_device", copy(on_device, on_device)));
  AddSizes(device, Register("copy/host_to_device", copy(staging, on_device)));
  AddSizes(device, Register("copy/device_to_host", copy(on_device, staging)));
  AddSizes(device, Register("host_write", [&device](benchmark::State& state) { HostWrite(device, state); }));
  AddSizes(device, Register("host_read", [&device](benchmark::State& state) { HostRead(device, state); }));
}

}  // namespace halyard::tools
