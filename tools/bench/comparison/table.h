// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons as a table in Markdown: one row for each, from the medians of its repetitions.
#ifndef HALYARD_TOOLS_BENCH_COMPARISON_TABLE_H_
#define HALYARD_TOOLS_BENCH_COMPARISON_TABLE_H_

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace halyard::bench {

using Run = benchmark::BenchmarkReporter::Run;

/// Whether a benchmark could not be run. Google Benchmark 1.8 calls that "skipped", older versions an error.
template <class AnyRun>
bool HasFailed(const AnyRun& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return run.skipped != decltype(run.skipped){};
  }
}

/// One comparison, with all its repetitions.
struct Row {
  std::string name;                      // as --benchmark_filter knows it
  std::pair<int64_t, int64_t> position;  // in the source: family, instance
  std::string what;
  std::vector<double> halyard;  // nanoseconds, by repetition
  std::vector<double> raw;
  std::vector<double> ratio;
  double target_ns = 0;
  double target_ratio = 0;
  double target_above = 0;
};

/// Whether a run has the figures of Turns::Report().
bool IsComparison(const Run& run);
/// Adds a run to the row that it belongs to, which may be a new one. Means over repetitions are left out.
void AddRun(const Run& run, std::vector<Row>* rows);

enum class Verdict { kNone, kMet, kMissed };
/// Whether a row keeps what it is held to.
Verdict VerdictOf(const Row& row);

enum class Names { kHidden, kShown };
/// "what | Halyard | raw | ratio | target | met", before it the names where they are shown.
std::string TableHeader(Names names);
std::string RowText(const Row& row, Names names);
/// The same for programs: "name,halyard_ns,raw_ns,ratio,target,met". What a row lacks is empty.
std::string CsvHeader();
std::string CsvText(const Row& row);

/// Prints the table once all benchmarks have run.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::vector<Row> rows_;
};

}  // namespace halyard::bench

#endif  // HALYARD_TOOLS_BENCH_COMPARISON_TABLE_H_
