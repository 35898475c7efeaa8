// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-run: runs one kernel or function on a device, with arrays from and to NumPy files.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "call_runner.h"
#include "compare.h"
#include "constants.h"
#include "kernel.h"
#include "named_arguments.h"
#include "options.h"
#include "plan.h"
#include "properties.h"
#include "report.h"
#include "runner.h"
#include "support/output_file.h"
#include "support/program/devices.h"
#include "support/program/progress.h"
#include "support/program/tool.h"
#include "trace.h"

namespace halyard::tools {
namespace {

// What cannot be written in the end is better known before the work begins.
void CheckOutputs(const std::vector<BindingPlan>& plans, const RunOptions& options) {
  std::vector<std::string> paths;
  for (const BindingPlan& plan : plans) {
    if (plan.output && *plan.output != "-") paths.push_back(*plan.output);
  }
  for (const std::string& path : paths) CheckWritable(path, kNpyFile, options.replace);
  if (!options.trace.empty()) {
    paths.push_back(options.trace);
    CheckWritable(options.trace, kTraceFile, options.replace);
  }
  std::ranges::sort(paths);
  const auto twice = std::ranges::adjacent_find(paths);
  if (twice != paths.end() && *twice != "/dev/null") Fail(ExitCode::kUsage, "two results go to '", *twice, "'");
}

// Runs as often as asked for; every run begins with the same data.
Statistics Measure(Runner* runner, const RunOptions& options) {
  const uint64_t total = options.warmup + options.repeat;
  Progress progress("running", total);
  std::vector<double> times;
  for (uint64_t i = 0; i < total; ++i) {
    if (i > 0) runner->Restore();
    const double time = runner->Run();
    if (i >= options.warmup) times.push_back(time);
    progress.Update(i + 1);
  }
  return Summarize(std::move(times));
}

ResultReport ReportResult(hal_device_t* device, size_t binding, const BindingPlan& plan, const NpyArray& result,
                          const Tolerance& tolerance) {
  ResultReport report;
  report.binding = binding;
  report.spec = ArraySpecText(result.type, result.shape);
  report.shape = result.shape;
  if (plan.output && *plan.output == "-") {
    report.text = ArrayText(device, result);
  } else if (plan.output) {
    report.path = *plan.output;
  }
  if (plan.expected) {
    report.expected_path = plan.expected_path;
    report.comparison = Compare(result, *plan.expected, tolerance);
  }
  return report;
}

// Brings the results back, compares them, and writes the files, which appear once all are complete.
std::vector<ResultReport> TakeResults(hal_device_t* device, Runner* runner, const std::vector<BindingPlan>& plans,
                                      const RunOptions& options) {
  std::vector<ResultReport> reports;
  std::vector<OutputFile> files;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].IsResult()) continue;
    const NpyArray result = runner->Result(i);
    reports.push_back(ReportResult(device, i, plans[i], result, options.tolerance));
    if (reports.back().path.empty()) continue;
    files.emplace_back(reports.back().path, kNpyFile, options.replace);
    WriteNpy(result, &files.back());
  }
  for (OutputFile& file : files) file.Commit();
  return reports;
}

// A function that does not ask which workgroup runs has but one.
bool NeedsWorkgroups(const Kernel& kernel) {
  if (!kernel.signature) return true;
  const std::span<const hal_value_type_t> arguments(kernel.signature->arguments, kernel.signature->argument_count);
  return std::ranges::any_of(arguments, [](const hal_value_type_t& type) {
    return type.role != HAL_ARGUMENT_ROLE_DATA && type.role < HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X;
  });
}

// A plain call is made once, on no queue.
void CheckCall(const Kernel& kernel, const RunOptions& options, const std::string& reason) {
  const hal_dim3_t count = options.workgroup_count.value_or(hal_dim3(1, 1, 1));
  if (count.x != 1 || count.y != 1 || count.z != 1) {
    Fail(ExitCode::kUsage, "'", kernel.name, "' returns results, so there is one workgroup; leave out --workgroups");
  }
  if (options.trace.empty()) return;
  Fail(ExitCode::kUsage, "--trace shows what queues do, but '", kernel.name, "' is called directly: ", reason,
       "; say it, as in --output=FILE:f32[8,8]");
}

std::string WhyCalled(const Kernel& kernel, const std::vector<BindingPlan>& plans) {
  const std::optional<size_t> unknown = FindUnknownResult(plans);
  if (!unknown) return "";
  return Concat("only running shows the shape of ", BindingText(kernel, *unknown));
}

std::unique_ptr<Runner> MakeRunner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans,
                                   const RunOptions& options, std::span<const std::byte> constants, bool is_call) {
  if (is_call) return std::make_unique<CallRunner>(device, kernel, plans, constants);
  auto runner = std::make_unique<QueueRunner>(device, kernel, plans);
  runner->Configure(options, constants);
  return runner;
}

RunReport RunKernel(hal_device_t* device, RunOptions options) {
  const Kernel kernel = LoadKernel(device, options);
  ResolveNamedArguments(kernel, &options);
  if (NeedsWorkgroups(kernel) && !options.workgroup_count) FailMissing("--workgroups=X,Y,Z");
  const std::vector<std::byte> constants = PlaceConstants(kernel, options.constants);
  const std::vector<BindingPlan> plans = MakePlan(kernel, options);
  CheckOutputs(plans, options);

  RunReport report;
  report.device = options.device.device;
  report.device_name = Text(hal_device_info(device)->name);
  report.function = kernel.name;
  report.call_reason = WhyCalled(kernel, plans);
  if (!report.call_reason.empty()) CheckCall(kernel, options, report.call_reason);
  report.workgroup_count = options.workgroup_count.value_or(hal_dim3(1, 1, 1));
  report.workgroup_size = options.workgroup_size.x ? options.workgroup_size : kernel.workgroup_size;
  const auto trace = options.trace.empty() ? nullptr : std::make_unique<Trace>(device);
  const std::unique_ptr<Runner> runner =
      MakeRunner(device, kernel, plans, options, constants, !report.call_reason.empty());
  runner->Prepare();
  report.time = Measure(runner.get(), options);
  report.results = TakeResults(device, runner.get(), plans, options);
  if (trace) trace->Write(options.trace);
  report.trace = options.trace;
  return report;
}

bool AllAsExpected(const RunReport& report) {
  for (const ResultReport& result : report.results) {
    if (result.comparison && !result.comparison->IsEqual()) return false;
  }
  return true;
}

// Loads the exports and says what they take; nothing runs.
ExitCode ShowProperties(hal_device_t* device, const RunOptions& options) {
  const Executable executable = LoadExecutable(device, options);
  const std::vector<ExportReport> exports = QueryExports(executable.get(), options);
  Print(options.json ? JsonText(ExportsJson(device, options, exports)) : ExportsText(device, options, exports));
  return ExitCode::kOk;
}

ExitCode Run(int argc, char** argv) {
  const std::optional<RunOptions> options = ParseRunOptions(argc, argv);
  if (!options) return ExitCode::kOk;
  const Device device = OpenDevice(options->device);
  if (options->properties) return ShowProperties(device.get(), *options);
  const RunReport report = RunKernel(device.get(), *options);
  Print(options->json ? JsonText(JsonReport(report)) : TextReport(report));
  return AllAsExpected(report) ? ExitCode::kOk : ExitCode::kDifferent;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-run", argc, argv, halyard::tools::Run); }
