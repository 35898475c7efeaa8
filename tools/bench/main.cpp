// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-bench: measures a device with Google Benchmark.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench_device.h"
#include "benchmarks.h"
#include "overhead/overhead.h"
#include "reporter.h"
#include "support/output_file.h"
#include "support/program/command_line.h"
#include "support/program/devices.h"
#include "support/program/tool.h"
#include "topology.h"

namespace halyard::tools {
namespace {

constexpr const char* kPurpose =
    "Measures a device: the latency of submissions and of waking a thread, the speed of fills\n"
    "and copies, dispatches, batches of commands. Times are real time. Where the vendor of the device\n"
    "has an API that Halyard stands on, the same work is done through both in turns (overhead/...).\n";
constexpr const char* kExamples =
    "Examples:\n"
    "  halyard-bench --device=local://task\n"
    "  halyard-bench --device=local://task --filter=copy --output=copy.json\n"
    "  halyard-bench --device=local://sync --json > sync.json\n"
    "  halyard-bench --device=cuda://0 --filter=overhead\n"
    "  halyard-bench --topology --device=cuda://0,cuda://1,local://task\n"
    "\n"
    "All other options of Google Benchmark may be given as well: --benchmark_repetitions=10.\n";
constexpr const char* kPrefix = "--benchmark_";

struct BenchOptions {
  DeviceOptions device;
  std::string kernels;
  std::string filter;
  std::string output;
  std::string seconds;
  std::string counterpart;
  Extent extent;
  bool list = false;
  bool json = false;
  bool csv = false;
  bool targets = false;
  bool topology = false;
  Replace replace = Replace::kSameKind;
  std::vector<std::string> others;  // for Google Benchmark
};

double ParseSeconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(seconds > 0 && seconds < 1e6)) {
    Fail(ExitCode::kUsage, "--seconds takes a number above 0, not '", text, "'");
  }
  return seconds;
}

bool ParseOptions(int argc, const char* const* argv, BenchOptions* options) {
  CommandLine line("halyard-bench", "--device=URI [options] [--benchmark_...]", kPurpose);
  line.AddDevice(&options->device, "the device, as halyard-info names it");
  line.Text("--filter", "REGEX", &options->filter, "run only the benchmarks whose names match");
  line.Text("--seconds", "S", &options->seconds, "least time for each benchmark (default: 0.5)");
  line.Number("--turns", 1, 1'000'000, &options->extent.turns,
              "turns of each comparison (default: 5 to 1000, by benchmark)");
  line.Flag("--quick", &options->extent.is_quick, "comparisons: a turn of each, on a device with little memory too");
  line.Text("--counterpart", "DRIVER", &options->counterpart,
            "compare with the API of this driver (default: the device's)");
  line.Text("--output,-o", "FILE", &options->output, "write the results as JSON, too");
  line.Text("--kernels", "FILE", &options->kernels, "kernels 'empty' and 'saxpy' for devices that none come with");
  line.Flag("--list", &options->list, "print the names of the benchmarks and stop");
  line.Flag("--csv", &options->csv, "print the comparisons as CSV");
  line.Flag("--targets", &options->targets, "say which comparisons miss their targets, and exit with 1 if any does");
  line.Flag("--topology", &options->topology,
            "copy between each two devices, of all or of those that --device names, separated by commas");
  line.AddJson(&options->json);
  line.AddForce(&options->replace);
  line.SetEpilogue(kExamples);
  line.LeavePrefixed(kPrefix);
  if (!line.Parse(argc, argv)) return false;
  options->others = line.Rest();
  if (options->csv && options->json) Fail(ExitCode::kUsage, "--csv and --json cannot be given together");
  if (options->device.device.empty() && !options->topology) FailMissing("--device=URI");
  return true;
}

// The part of the command line that is for the library, which keeps pointing to it.
std::vector<std::string>& LibraryArguments(const BenchOptions& options) {
  static std::vector<std::string> texts;
  texts = {"halyard-bench"};
  if (!options.filter.empty()) texts.push_back(std::string(kPrefix) + "filter=" + options.filter);
  if (!options.seconds.empty())
    texts.push_back(Concat(kPrefix, "min_time=", ParseSeconds(options.seconds), HALYARD_BENCH_SECONDS));
  if (options.list) texts.push_back(std::string(kPrefix) + "list_tests=true");
  texts.insert(texts.end(), options.others.begin(), options.others.end());
  return texts;
}

void InitializeLibrary(const BenchOptions& options) {
  std::vector<char*> arguments;
  for (std::string& text : LibraryArguments(options)) arguments.push_back(text.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) Fail(ExitCode::kUsage, "unknown option '", arguments[1], "' of Google Benchmark");
}

void AddLines(Overhead& overhead) {
  AddGraphLines(overhead);
  AddLaunchLines(overhead);
  AddIndirectLines(overhead);
  AddRuleLines(overhead);
  AddMemoryLines(overhead);
  AddObjectLines(overhead);
  AddTransferLines(overhead);
  AddThreadLines(overhead);
  AddWaitLines(overhead);
  AddDeferredLines(overhead);
}

// NULL if there is nothing to compare with.
const Vendor* CounterpartOf(const BenchOptions& options, hal_device_t* device) {
  if (options.counterpart.empty()) return FindVendor(Text(hal_device_info(device)->driver));
  const Vendor* const vendor = FindVendor(options.counterpart);
  if (!vendor) Fail(ExitCode::kUsage, "--counterpart takes 'cuda', not '", options.counterpart, "'");
  return vendor;
}

// Everything but the comparisons.
void RegisterAll(const BenchDevice& device) {
  RegisterLatencyBenchmarks(device);
  if (device.HasKernels()) {
    RegisterDispatchBenchmarks(device);
    RegisterRecordingBenchmarks(device);
    RegisterWaitBenchmarks(device);
  } else {
    std::fprintf(stderr, "halyard-bench: dispatches are left out: %s\n", device.WhyNoKernels().c_str());
  }
  RegisterTransferBenchmarks(device);
}

// What the results were taken on.
std::string AddContext(hal_device_t* device, const std::string& uri) {
  const std::string name = Text(hal_device_info(device)->name);
  const uint32_t loaded = hal_version();
  const std::string version = Concat(loaded >> 16, ".", (loaded >> 8) & 0xFFu, ".", loaded & 0xFFu);
  benchmark::AddCustomContext("halyard_device", uri);
  benchmark::AddCustomContext("halyard_device_name", name);
  benchmark::AddCustomContext("halyard_version", version);
  return Concat("Halyard ", version, " on ", uri, " (", name, ")");
}

// To the error stream, so that what --json and --csv print stays as it is.
ExitCode TellTargets(const Reporter& reporter) {
  if (reporter.met() == 0 && reporter.missed().empty()) {
    Fail(ExitCode::kUsage, "--targets: none of the benchmarks that ran has a target; --filter=overhead has");
  }
  std::fprintf(stderr, "halyard-bench: targets: %zu met, %zu missed", reporter.met(), reporter.missed().size());
  const char* separator = ": ";
  for (const std::string& name : reporter.missed()) {
    std::fprintf(stderr, "%s%s", separator, name.c_str());
    separator = ", ";
  }
  std::fprintf(stderr, "\n");
  return reporter.missed().empty() ? ExitCode::kOk : ExitCode::kDifferent;
}

ExitCode Measure(const BenchOptions& options, const std::string& title, const Vendor* vendor) {
  const Reporter::Shows shows = options.json  ? Reporter::Shows::kNothing
                                : options.csv ? Reporter::Shows::kCsv
                                              : Reporter::Shows::kTables;
  Reporter reporter(title, vendor ? vendor->api : "", shows);
  const size_t matched = benchmark::RunSpecifiedBenchmarks(&reporter);
  if (options.list) return ExitCode::kOk;
  if (matched == 0) Fail(ExitCode::kUsage, "no benchmark matches '", options.filter, "'; --list shows their names");
  const std::string text = reporter.JsonText();
  if (options.json) Print(text);
  if (!options.output.empty()) WriteFile(options.output, kBenchReport, options.replace, std::as_bytes(std::span(text)));
  if (reporter.HadErrors()) return ExitCode::kRun;
  return options.targets && !options.list ? TellTargets(reporter) : ExitCode::kOk;
}

ExitCode MeasurePairs(const BenchOptions& options) {
  LoadPlugins(options.device.plugins);
  std::vector<std::string> uris;
  for (size_t begin = 0; begin < options.device.device.size();) {
    const size_t end = std::min(options.device.device.find(',', begin), options.device.device.size());
    uris.push_back(options.device.device.substr(begin, end - begin));
    begin = end + 1;
  }
  const MeasuredTopology topology = MeasureTopology(uris, options.extent.is_quick);
  const std::string text = JsonText({{"topology", JsonOf(topology)}});
  Print(options.json ? text : TextOf(topology));
  if (!options.output.empty()) WriteFile(options.output, kBenchReport, options.replace, std::as_bytes(std::span(text)));
  return ExitCode::kOk;
}

ExitCode Run(int argc, char** argv) {
  BenchOptions options;
  if (!ParseOptions(argc, argv, &options)) return ExitCode::kOk;
  if (options.topology) return MeasurePairs(options);
  if (!options.output.empty()) CheckWritable(options.output, kBenchReport, options.replace);
  InitializeLibrary(options);
  const Device device = OpenDevice(options.device);
  const BenchDevice bench_device(device.get(), options.kernels);
  const std::string title = AddContext(device.get(), options.device.device);
  RegisterAll(bench_device);
  const Vendor* const vendor = CounterpartOf(options, device.get());
  std::optional<Overhead> overhead;
  if (vendor) AddLines(overhead.emplace(options.device, *vendor, options.extent));
  const ExitCode code = Measure(options, title, vendor);
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return code;
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) { return halyard::tools::RunTool("halyard-bench", argc, argv, halyard::tools::Run); }
