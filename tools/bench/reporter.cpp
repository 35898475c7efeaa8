// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reporter.h"

#include <unistd.h>

#include <iostream>
#include <ostream>
#include <utility>

namespace halyard::tools {
namespace {

// Colours are for people.
benchmark::ConsoleReporter::OutputOptions OutputOptions() {
  return isatty(STDOUT_FILENO) ? benchmark::ConsoleReporter::OO_Color : benchmark::ConsoleReporter::OO_None;
}

// "host_wake" instead of "host_wake/real_time": the time is real in all of them.
std::vector<benchmark::BenchmarkReporter::Run> WithPlainNames(std::vector<benchmark::BenchmarkReporter::Run> runs) {
  for (benchmark::BenchmarkReporter::Run& run : runs) run.run_name.time_type.clear();
  return runs;
}

}  // namespace

Reporter::Reporter(std::string title, bool quiet) : title_(std::move(title)), quiet_(quiet), console_(OutputOptions()) {
  console_.SetOutputStream(&std::cout);
  json_.SetOutputStream(&text_);
  json_.SetErrorStream(&std::cerr);
}

bool Reporter::ReportContext(const Context& context) {
  // What the library says here goes nowhere: the machine is in the JSON, and how Google Benchmark itself was built
  // makes no difference.
  std::ostream nowhere(nullptr);
  console_.SetErrorStream(&nowhere);
  const bool goes_on = console_.ReportContext(context);
  console_.SetErrorStream(&std::cerr);
  if (!quiet_) std::cout << title_ << "\n";
  return json_.ReportContext(context) && goes_on;
}

void Reporter::ReportRuns(const std::vector<Run>& runs) {
  const std::vector<Run> plain = WithPlainNames(runs);
  for (const Run& run : plain) had_errors_ = had_errors_ || run.error_occurred;
  if (!quiet_) console_.ReportRuns(plain);
  json_.ReportRuns(plain);
}

void Reporter::Finalize() {
  if (!quiet_) console_.Finalize();
  json_.Finalize();
}

}  // namespace halyard::tools
