// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, dispatched without a command buffer.
#include <array>

#include "benchmarks.h"
#include "halyard/cpp/submit.hpp"
#include "support/program/timeline.h"

namespace halyard::tools {
namespace {

constexpr uint64_t kSaxpyGroup = 256;  // elements to a workgroup

void Dispatch(const BenchDevice& device, uint32_t ordinal, const hal_dispatch_params_t& params, Timeline* timeline) {
  timeline->Submit("dispatch", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_dispatch(device.get(), hal::SubmitParams(waits, signals), device.Kernels(), ordinal,
                                     &params);
  });
}

// An empty kernel over so many workgroups, from submission until the host sees the end.
void Empty(const BenchDevice& device, benchmark::State& state) {
  const uint32_t ordinal = device.Export("empty");
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count.x = static_cast<uint32_t>(state.range(0));
  Timeline timeline(device.get());
  for (auto _ : state) {
    Dispatch(device, ordinal, params, &timeline);
    timeline.Wait("dispatch");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// Empty kernels that wait for each other, of which only the last is waited for.
void Chain(const BenchDevice& device, benchmark::State& state) {
  const uint32_t ordinal = device.Export("empty");
  const hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  Timeline timeline(device.get());
  for (auto _ : state) {
    for (int i = 0; i < kBatch; ++i) Dispatch(device, ordinal, params, &timeline);
    timeline.Wait("dispatch");
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

// A kernel that is bound by memory: three times its elements' bytes go through it.
void Saxpy(const BenchDevice& device, benchmark::State& state) {
  const auto elements = static_cast<uint64_t>(state.range(0));
  const Buffer x = device.Allocate(elements * sizeof(float));
  const Buffer y = device.Allocate(elements * sizeof(float));
  const std::array refs = {hal_buffer_ref(x.get(), 0, HAL_WHOLE_SIZE), hal_buffer_ref(y.get(), 0, HAL_WHOLE_SIZE)};
  const float a = 0.5f;
  const uint32_t ordinal = device.Export("saxpy");
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count.x = static_cast<uint32_t>(elements / kSaxpyGroup);
  params.constants = &a;
  params.constants_size = sizeof(a);
  params.bindings = hal_buffer_ref_list(refs.data(), refs.size());
  const uint32_t zero = 0;
  Timeline timeline(device.get());
  for (const hal_buffer_ref_t& ref : refs) {
    timeline.Submit("fill", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_fill(device.get(), hal::SubmitParams(waits, signals), ref, &zero, sizeof(zero));
    });
  }
  for (auto _ : state) {
    Dispatch(device, ordinal, params, &timeline);
    timeline.Wait("dispatch");
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 3 * static_cast<int64_t>(sizeof(float)));
}

}  // namespace

void RegisterDispatchBenchmarks(const BenchDevice& device) {
  Register("dispatch/workgroups", [&device](benchmark::State& state) { Empty(device, state); })
      ->Arg(1)
      ->Arg(64)
      ->Arg(4096);
  Register("dispatch/chain_of_64", [&device](benchmark::State& state) { Chain(device, state); });
  Register("dispatch/saxpy", [&device](benchmark::State& state) { Saxpy(device, state); })->Arg(1 << 14)->Arg(1 << 22);
}

}  // namespace halyard::tools
