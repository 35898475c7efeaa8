// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-microbench: what Halyard costs. Google Benchmark's flags work; the output is a table.
#include <benchmark/benchmark.h>

#include "bench/comparison/table.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  halyard::bench::TableReporter table;
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  return 0;
}
