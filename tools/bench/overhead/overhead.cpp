// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "overhead.h"

#include "bench/benchmarks.h"

namespace halyard::tools {

void Comparison::TakeTurns(const Turn& raw, const Turn& halyard) const {
  for (benchmark::IterationCount i = 0; i < state_.max_iterations / 5; ++i) {  // so that both are warm
    raw();
    halyard();
  }
  bench::Turns turns(state_, line_.operations);
  for (auto _ : state_) {
    const double theirs = raw();
    turns.Add(halyard(), theirs);
  }
  turns.Report(line_.what.c_str(), line_.target);
}

void Overhead::Add(Line line, const std::function<void(Sides&, const Comparison&)>& body) {
  if (extent_.is_quick) line.turns = 1;
  if (extent_.turns != 0) line.turns = extent_.turns;
  if (vendor_.driver == "vulkan" && line.vulkan_target) line.target = *line.vulkan_target;
  const auto run = [this, line, body](benchmark::State& state) {
    Sides& sides = Open();
    sides.halyard.RenewTimeline();
    const Entered entered(*sides.raw);
    body(sides, Comparison(state, line));
  };
  RegisterGuarded("overhead/" + line.name, run)
      ->Iterations(static_cast<benchmark::IterationCount>(line.turns))
      ->UseManualTime();
}

Sides& Overhead::Open() {
  if (!sides_) sides_ = std::make_unique<Sides>(options_, vendor_);
  return *sides_;
}

}  // namespace halyard::tools
