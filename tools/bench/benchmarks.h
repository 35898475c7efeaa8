// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks, by what they measure. Each function registers those of one file.
#ifndef HALYARD_TOOLS_BENCH_BENCHMARKS_H_
#define HALYARD_TOOLS_BENCH_BENCHMARKS_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>

#include "bench_device.h"

namespace halyard::tools {

/// Operations that are submitted before the host waits for the last.
constexpr int kBatch = 64;

void RegisterLatencyBenchmarks(const BenchDevice& device);
void RegisterTransferBenchmarks(const BenchDevice& device);
void RegisterDispatchBenchmarks(const BenchDevice& device);
void RegisterRecordingBenchmarks(const BenchDevice& device);
void RegisterWaitBenchmarks(const BenchDevice& device);

/// Runs `body(thread)` on so many threads, until all are through it. Throws what the first of them threw.
void OnThreads(size_t threads, const std::function<void(size_t)>& body);

/// Registers one. A Failure that `body(state)` throws skips it, with the reason in the report.
template <class Body>
benchmark::internal::Benchmark* RegisterGuarded(const std::string& name, Body body) {
  return benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    try {
      body(state);
    } catch (const Failure& failure) {
      state.SkipWithError(failure.what());
    }
  });
}

/// The same, in real time, since most of the work happens on other threads or elsewhere.
template <class Body>
benchmark::internal::Benchmark* Register(const std::string& name, Body body) {
  return RegisterGuarded(name, body)->UseRealTime();
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_BENCHMARKS_H_
