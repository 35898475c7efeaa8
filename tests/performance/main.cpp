// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs each path under callgrind, which then writes how many instructions it took: see count.sh.
#include <valgrind/callgrind.h>

#include "performance/paths.h"
#include "performance/require.h"

namespace halyard::performance {
namespace {

constexpr int kWarmUp = 300;  // calls that are not counted
constexpr int kCalls = 1000;  // calls that are; count.sh divides by it

void Repeat(const Path& path, Bench& bench, int calls) {
  for (int i = 0; i < calls; ++i) Require(path.run(bench), path.name);
}

}  // namespace
}  // namespace halyard::performance

int main() {
  using namespace halyard::performance;
  Bench bench;
  for (const Path& path : kPaths) {
    Repeat(path, bench, kWarmUp);
    CALLGRIND_ZERO_STATS;
    Repeat(path, bench, kCalls);
    CALLGRIND_DUMP_STATS_AT(path.name);
  }
  return 0;
}
