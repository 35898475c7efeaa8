// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a comparison measures: Halyard and what it is compared with take turns, so that whatever else the machine does
// hits both alike, and medians are reported.
#ifndef HALYARD_TOOLS_BENCH_COMPARISON_TURNS_H_
#define HALYARD_TOOLS_BENCH_COMPARISON_TURNS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace halyard::bench {

/// What a benchmark is held to; 0 for nothing.
struct Target {
  double nanoseconds = 0;  ///< for an operation
  double ratio = 0;        ///< to what it is compared with
  double above = 0;        ///< nanoseconds more than what it is compared with
};

using Clock = std::chrono::steady_clock;

/// Nanoseconds that `work` takes.
template <class Work>
double Time(Work&& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

inline double Median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// The times of both sides, and what becomes of them. table.h reads the counters.
class Turns {
 public:
  /// @param operations  how many of them one turn of either side does
  Turns(benchmark::State& state, double operations) : state_(state), operations_(operations) {}

  /// Adds a turn; both in nanoseconds.
  void Add(double ours, double raw) {
    Add(ours);
    raw_.push_back(raw / operations_);
  }
  void Add(double ours) {
    ours_.push_back(ours / operations_);
    state_.SetIterationTime(ours * 1e-9);
  }

  void Report(const char* what, Target target = {}) const {
    state_.SetLabel(what);
    state_.counters["halyard_ns"] = Median(ours_);
    if (!raw_.empty()) {
      state_.counters["raw_ns"] = Median(raw_);
      state_.counters["ratio"] = Median(ours_) / Median(raw_);
    }
    if (target.nanoseconds > 0) state_.counters["target_ns"] = target.nanoseconds;
    if (target.above > 0) state_.counters["target_above"] = target.above;
    if (target.ratio > 0) state_.counters["target_ratio"] = target.ratio;
  }

 private:
  benchmark::State& state_;
  const double operations_;
  std::vector<double> ours_;  // nanoseconds for an operation, by turn
  std::vector<double> raw_;
};

/// Lets `ours` and `raw` take turns for as long as the benchmark runs.
template <class Ours, class Raw>
Turns TakeTurns(benchmark::State& state, double operations, Ours&& ours, Raw&& raw) {
  Turns turns(state, operations);
  for (auto unused : state) {
    const double time = Time(ours);
    turns.Add(time, Time(raw));
  }
  return turns;
}

/// The same with nothing to compare with.
template <class Ours>
Turns Repeat(benchmark::State& state, double operations, Ours&& ours) {
  Turns turns(state, operations);
  for (auto unused : state) turns.Add(Time(ours));
  return turns;
}

}  // namespace halyard::bench

#endif  // HALYARD_TOOLS_BENCH_COMPARISON_TURNS_H_
