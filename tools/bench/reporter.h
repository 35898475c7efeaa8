// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results on the terminal and as JSON at the same time.
#ifndef HALYARD_TOOLS_BENCH_REPORTER_H_
#define HALYARD_TOOLS_BENCH_REPORTER_H_

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>
#include <vector>

#include "comparison/table.h"

namespace halyard::tools {

/// Shows results as they come, and keeps them as JSON.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  enum class Shows { kTables, kCsv, kNothing };

  /// Shows tables under `title`, or the comparisons alone as CSV, or nothing.
  /// @param raw  what comparisons are with: "the CUDA driver API"
  Reporter(std::string title, std::string raw, Shows shows);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

  /// All results, once they are there, in Google Benchmark's own JSON.
  std::string JsonText() const { return text_.str(); }
  /// Whether a benchmark could not be run.
  bool HadErrors() const { return had_errors_; }
  /// Comparisons that met their targets, and the names of those that did not.
  size_t met() const { return met_; }
  const std::vector<std::string>& missed() const { return missed_; }

 private:
  void ShowComparison(const std::vector<bench::Row>& rows);
  void CountTargets(const std::vector<bench::Row>& rows);

  std::string title_;
  std::string raw_;
  Shows shows_;
  bool in_comparisons_ = false;  // the last line shown is one of their table
  bool had_errors_ = false;
  size_t met_ = 0;
  std::vector<std::string> missed_;
  std::ostringstream text_;
  benchmark::ConsoleReporter console_;
  benchmark::JSONReporter json_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_REPORTER_H_
