// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reporter.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <ostream>
#include <utility>

namespace halyard::tools {
namespace {

// Colours are for people.
benchmark::ConsoleReporter::OutputOptions OutputOptions() {
  return isatty(STDOUT_FILENO) ? benchmark::ConsoleReporter::OO_Color : benchmark::ConsoleReporter::OO_None;
}

// "host_wake" instead of "host_wake/real_time": the time is real in all of them. The iterations are in the results.
std::vector<benchmark::BenchmarkReporter::Run> WithPlainNames(std::vector<benchmark::BenchmarkReporter::Run> runs) {
  for (benchmark::BenchmarkReporter::Run& run : runs) {
    run.run_name.time_type.clear();
    run.run_name.iterations.clear();
  }
  return runs;
}

}  // namespace

Reporter::Reporter(std::string title, std::string raw, Shows shows)
    : title_(std::move(title)), raw_(std::move(raw)), shows_(shows), console_(OutputOptions()) {
  console_.SetOutputStream(&std::cout);
  json_.SetOutputStream(&text_);
  json_.SetErrorStream(&std::cerr);
}

bool Reporter::ReportContext(const Context& context) {
  // What the library prints here is dropped: the machine is in the JSON, and how Google Benchmark itself was built
  // makes no difference.
  std::ostream nowhere(nullptr);
  console_.SetErrorStream(&nowhere);
  const bool goes_on = console_.ReportContext(context);
  console_.SetErrorStream(&std::cerr);
  if (shows_ == Shows::kTables) std::cout << title_ << "\n";
  if (shows_ == Shows::kCsv) std::cout << bench::CsvHeader();
  return json_.ReportContext(context) && goes_on;
}

void Reporter::ReportRuns(const std::vector<Run>& runs) {
  const std::vector<Run> plain = WithPlainNames(runs);
  for (const Run& run : plain) had_errors_ = had_errors_ || bench::HasFailed(run);
  json_.ReportRuns(plain);
  if (std::ranges::all_of(plain, bench::IsComparison)) {
    std::vector<bench::Row> rows;
    for (const Run& run : plain) bench::AddRun(run, &rows);
    CountTargets(rows);
    if (shows_ != Shows::kNothing) ShowComparison(rows);
  } else if (shows_ == Shows::kTables) {
    in_comparisons_ = false;
    console_.ReportRuns(plain);
  }
}

void Reporter::CountTargets(const std::vector<bench::Row>& rows) {
  for (const bench::Row& row : rows) {
    const bench::Verdict verdict = bench::VerdictOf(row);
    if (verdict == bench::Verdict::kMet) ++met_;
    if (verdict == bench::Verdict::kMissed) missed_.push_back(row.name);
  }
}

void Reporter::ShowComparison(const std::vector<bench::Row>& rows) {
  const bool is_csv = shows_ == Shows::kCsv;
  if (!in_comparisons_ && !is_csv) {
    std::cout << "\nHalyard and " << raw_ << " in turns, medians\n\n" << bench::TableHeader(bench::Names::kShown);
  }
  in_comparisons_ = true;
  for (const bench::Row& row : rows) {
    std::cout << (is_csv ? bench::CsvText(row) : bench::RowText(row, bench::Names::kShown));
  }
  std::cout.flush();
}

void Reporter::Finalize() {
  if (shows_ == Shows::kTables) console_.Finalize();
  json_.Finalize();
}

}  // namespace halyard::tools
