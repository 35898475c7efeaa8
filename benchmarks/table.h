// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is printed: one row for each benchmark, from the medians of its repetitions.
#ifndef HALYARD_BENCHMARKS_TABLE_H_
#define HALYARD_BENCHMARKS_TABLE_H_

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace halyard::bench {

/// Prints "what | Halyard | raw | ratio | target | met" in Markdown once all benchmarks have run.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Row {
    std::string name;
    std::pair<int64_t, int64_t> position;  // in the source: family, instance
    std::string what;
    std::vector<double> halyard;  // nanoseconds, by repetition
    std::vector<double> raw;
    std::vector<double> ratio;
    double target_ns = 0;
    double target_ratio = 0;
    double target_above = 0;
  };
  Row& RowOf(const Run& run);
  void PrintRow(const Row& row);

  std::vector<Row> rows_;
};

}  // namespace halyard::bench

#endif  // HALYARD_BENCHMARKS_TABLE_H_
