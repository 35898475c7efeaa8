// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ostream>

#include "turns.h"

namespace halyard::bench {
namespace {

/// As printf, into a string.
[[gnu::format(printf, 1, 2)]] std::string Text(const char* format, ...) {
  char buffer[128];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  return buffer;
}

std::string TimeText(double nanoseconds) {
  if (nanoseconds < 1e3) return Text("%.3g ns", nanoseconds);
  if (nanoseconds < 1e6) return Text("%.3g µs", nanoseconds / 1e3);
  return Text("%.3g ms", nanoseconds / 1e6);
}

double Counter(const Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

/// The median, and how far the repetitions lie apart.
std::string RatioText(const std::vector<double>& ratios) {
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  std::string text = Text("%.3g", Median(ratios));
  if (ratios.size() > 1) text += Text(" (%.3g … %.3g)", *least, *most);
  return text;
}

Row& RowOf(const Run& run, std::vector<Row>& rows) {
  const std::string name = run.run_name.function_name + (run.run_name.args.empty() ? "" : "/" + run.run_name.args);
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  rows.emplace_back();
  rows.back().name = name;
  rows.back().what = run.report_label;
  rows.back().position = {run.family_index, run.per_family_instance_index};
  return rows.back();
}

/// What a row is held to, and whether it keeps that.
struct Outcome {
  std::string target;  // empty if to nothing
  Verdict kept = Verdict::kNone;

  const char* Word() const { return kept == Verdict::kNone ? "" : kept == Verdict::kMet ? "yes" : "NO"; }
};

Outcome OutcomeOf(const Row& row) {
  const double time = Median(row.halyard);
  std::string target;
  bool met = true;
  if (row.target_ns > 0) {
    target = "< " + TimeText(row.target_ns);
    met = time < row.target_ns;
  }
  if (row.target_ratio > 0 && !row.ratio.empty()) {
    target = Text("≤ %.3g", row.target_ratio);
    met = Median(row.ratio) <= row.target_ratio;
  }
  if (row.target_above > 0 && !row.raw.empty()) {
    target = "≤ raw + " + TimeText(row.target_above);
    met = time <= Median(row.raw) + row.target_above;
  }
  if (target.empty()) return {};
  return {target, met ? Verdict::kMet : Verdict::kMissed};
}

}  // namespace

Verdict VerdictOf(const Row& row) { return OutcomeOf(row).kept; }

bool IsComparison(const Run& run) { return !HasFailed(run) && run.counters.count("halyard_ns") != 0; }

void AddRun(const Run& run, std::vector<Row>* rows) {
  if (run.run_type != Run::RT_Iteration) return;
  Row& row = RowOf(run, *rows);
  row.halyard.push_back(Counter(run, "halyard_ns"));
  row.target_ns = Counter(run, "target_ns");
  row.target_ratio = Counter(run, "target_ratio");
  row.target_above = Counter(run, "target_above");
  const double raw = Counter(run, "raw_ns");
  if (raw <= 0) return;
  row.raw.push_back(raw);
  row.ratio.push_back(row.halyard.back() / raw);
}

std::string TableHeader(Names names) {
  const std::string header = "| what | Halyard | raw | ratio | target | met |\n";
  const std::string rule = "|---|---|---|---|---|---|\n";
  return names == Names::kShown ? "| name " + header + "|---" + rule : header + rule;
}

std::string RowText(const Row& row, Names names) {
  const Outcome outcome = OutcomeOf(row);
  return (names == Names::kShown ? "| " + row.name + " " : "") + "| " + row.what + " | " +
         TimeText(Median(row.halyard)) + " | " + (row.raw.empty() ? "" : TimeText(Median(row.raw))) + " | " +
         (row.ratio.empty() ? "" : RatioText(row.ratio)) + " | " + outcome.target + " | " + outcome.Word() + " |\n";
}

std::string CsvHeader() { return "name,halyard_ns,raw_ns,ratio,target,met\n"; }

std::string CsvText(const Row& row) {
  const auto number = [](const std::vector<double>& values) {
    return values.empty() ? std::string() : Text("%.6g", Median(values));
  };
  const Outcome outcome = OutcomeOf(row);
  return row.name + "," + number(row.halyard) + "," + number(row.raw) + "," + number(row.ratio) + "," + outcome.target +
         "," + outcome.Word() + "\n";
}

bool TableReporter::ReportContext(const Context&) { return true; }

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (IsComparison(run)) AddRun(run, &rows_);
  }
}

void TableReporter::Finalize() {
  // Repetitions are interleaved at random: rows come as they end.
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.position < b.position; });
  GetOutputStream() << TableHeader(Names::kHidden);
  for (const Row& row : rows_) GetOutputStream() << RowText(row, Names::kHidden);
  GetOutputStream().flush();
}

}  // namespace halyard::bench
