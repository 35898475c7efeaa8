// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches that are deferred: what one costs must not depend on how many are. Both sides are Halyard's.
#include <algorithm>

#include "overhead.h"

namespace halyard::tools {
namespace {

constexpr int kSmallCrowd = 100;
constexpr int kOperations = 500'000;  // of each side, in all turns
constexpr int kLeastOfATurn = 10'000;

/// Submits, releases and waits for `operations` dispatches that wait for the values of a gate, a crowd at a time.
void Run(HalyardSide& halyard, hal_semaphore_t* gate, uint64_t* opened, int operations, int crowd) {
  for (int done = 0; done < operations; done += crowd) {
    for (int i = 1; i <= crowd; ++i) halyard.DispatchBehind(gate, *opened + static_cast<uint64_t>(i));
    *opened += static_cast<uint64_t>(crowd);
    Must(hal_semaphore_signal(gate, *opened), "signal");
    halyard.Wait();
  }
}

void AddLine(Overhead& overhead, int crowd, const std::string& what) {
  const int operations = std::max(crowd, kLeastOfATurn);
  overhead.Add({.name = Concat("deferred_", crowd),
                .what = what,
                .turns = static_cast<uint64_t>(kOperations / operations),
                .operations = static_cast<double>(operations),
                .target = {.ratio = 1.5}},
               [crowd, operations](Sides& sides, const Comparison& comparison) {
                 const Semaphore gate = sides.halyard.device().MakeSemaphore();
                 uint64_t opened = 0;
                 const auto run = [&](int at_once) {
                   return bench::Time([&] { Run(sides.halyard, gate.get(), &opened, operations, at_once); });
                 };
                 comparison.TakeTurns([&] { return run(kSmallCrowd); }, [&] { return run(crowd); });
               });
}

}  // namespace

void AddDeferredLines(Overhead& overhead) {
  AddLine(overhead, 1000, "1,000 dispatches deferred at once, each, submission to end (raw: Halyard, 100 at once)");
  AddLine(overhead, 10'000, "10,000 of them");
  if (overhead.is_quick()) return;
  AddLine(overhead, 100'000, "100,000 of them");
}

}  // namespace halyard::tools
