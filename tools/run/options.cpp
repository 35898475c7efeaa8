// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

#include "expression.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kPurpose =
    "Runs a kernel, or a function of the host, with arrays from NumPy files, and says how long\n"
    "it took.\n"
    "\n"
    "Inputs go to the bindings that the kernel reads, outputs come from those that it writes,\n"
    "both in the order of the bindings. A number in front names a binding: --input=2=x.npy.\n"
    "An output has the type and shape of the input of the same binding; if there is none,\n"
    "those of --expect, or those behind its name: --output=y.npy:f32[8,8].\n"
    "\n"
    "Where the file has names of the parameters, NAME=VALUE gives a number, NAME=FILE an input\n"
    "and NAME:FILE takes an output. Its shape is that of the inputs unless NAME:FILE:f32[8,8]\n"
    "says it.\n"
    "\n"
    "A function's memrefs are its bindings, then come its results; its scalars are the constants.\n"
    "Arrays are checked against its type. Fewer inputs than it has memrefs go to the first ones,\n"
    "fewer outputs come from the last.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  halyard-run --device=local --executable=saxpy.halx --function=saxpy --workgroups=16 \\\n"
    "      --constant=f32:2 --input=x.npy --input=y.npy --output=result.npy\n"
    "  halyard-run --device=local --executable=kernels.so --exports=saxpy.json --workgroups=16 \\\n"
    "      --constant=f32:2 --input=x.npy --input=f32[1024]=0 --expect=double_x.npy \\\n"
    "      --tolerance=0,1e-6 --repeat=100 --trace=trace.json\n"
    "  halyard-run --device=cuda --executable=add.halx --grid='cdiv(n,1024)' \\\n"
    "      n=100003 x_ptr=x.npy y_ptr=y.npy out_ptr:out.npy\n"
    "  halyard-run --device=cuda --executable=add.halx --properties --workgroup-size=256\n"
    "  halyard-run --device=local --executable=matmul.halx --function=matmul \\\n"
    "      --input=a.npy --input=b.npy --output=c.npy\n";

// As many times as can be kept.
constexpr uint64_t kMostRuns = 10'000'000;

// Options whose text is not looked into before the rest has been read.
struct RawOptions {
  std::string workgroups;
  std::string workgroup_size;
  std::string tolerance;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  std::vector<std::string> constants;
  std::vector<std::string> specializations;
  std::vector<std::string> named;
};

// The arguments that are whole numbers.
Variables VariablesOf(const std::vector<NamedArgument>& arguments) {
  Variables variables;
  for (const NamedArgument& argument : arguments) {
    std::string_view text = argument.text;
    if (const size_t colon = text.find(':'); colon != std::string_view::npos) text.remove_prefix(colon + 1);
    const std::optional<uint64_t> number = ParseUint(text);
    if (number && *number <= static_cast<uint64_t>(INT64_MAX)) {
      variables.emplace(argument.name, static_cast<int64_t>(*number));
    }
  }
  return variables;
}

// "X[,Y[,Z]]".
hal_dim3_t ParseDim3(const std::string& option, const std::string& text, const Variables& variables) {
  const std::vector<std::string_view> parts = SplitExpressions(text);
  std::array<uint32_t, 3> sizes = {1, 1, 1};
  const auto refuse = [&](const std::string& why) {
    Fail(ExitCode::kUsage, option, " takes X[,Y[,Z]], numbers of at least 1 or expressions, not '", text, "'", why);
  };
  if (parts.size() > sizes.size()) refuse("");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) refuse("");
    const int64_t size = Evaluate(parts[i], variables);
    if (size < 1 || size > std::numeric_limits<uint32_t>::max()) refuse(Concat(": '", parts[i], "' is ", size));
    sizes[i] = static_cast<uint32_t>(size);
  }
  return hal_dim3(sizes[0], sizes[1], sizes[2]);
}

void AddKernelOptions(CommandLine* line, RunOptions* options, RawOptions* raw) {
  line->Group("What to run");
  line->AddDevice(&options->device, "the device, as halyard-info names it");
  line->Text("--executable,-e", "FILE", &options->executable, "the kernels: a .halx file, or a raw image");
  line->Text("--format", "NAME", &options->format, "the format of a raw image, if the file does not tell");
  line->Text("--exports", "FILE", &options->exports, "JSON that describes the exports of a raw image");
  line->Text("--function,-f", "NAME", &options->function, "the export; may be left out if there is only one");
  line->Texts("--import", "LIB", &options->imports,
              "a library with functions that the executable imports; may be repeated");
  line->Text("--workgroups,--grid,-w", "X,Y,Z", &raw->workgroups,
             "how many workgroups: numbers, or expressions of arguments by name, as in\n"
             "'cdiv(n,1024)'; Y and Z may be left out, and all of it for a function that takes no\n"
             "workgroup id");
  line->Text("--workgroup-size", "X,Y,Z", &raw->workgroup_size, "instead of the export's own");
  line->Texts(
      "--specialize", "ID=VALUE", &raw->specializations,
      "a specialisation constant of the image, by its number or name;\nID=VALUE:TYPE if the image does not tell");
  line->Number("--local-memory", 0, std::numeric_limits<uint32_t>::max(), &options->local_memory,
               "bytes of workgroup memory, on top of the export's own");
  line->Flag("--properties", &options->properties,
             "run nothing; show what the export takes of the device, or each of them:\n"
             "registers, memory, how many workgroups run at a time");
}

void AddDataOptions(CommandLine* line, RawOptions* raw) {
  line->Group("Data");
  line->Texts("--input,-i", "FILE", &raw->inputs,
              "a NumPy file (.npy) for the next binding that is read;\nTYPE[SHAPE]=VALUE fills an array: f32[8,8]=0");
  line->Texts("--output,-o", "FILE", &raw->outputs,
              "where to write the next binding that is written, FILE:TYPE[SHAPE]\nto say what it is; - prints it");
  line->Texts("--constant,-c", "TYPE:VALUE", &raw->constants,
              "the next constant: u32:5, f32:0.5; hex:0011ff for raw bytes");
  line->Texts("--expect", "FILE", &raw->expected, "what the next binding that is written should come to");
  line->Text("--tolerance", "ABS,REL", &raw->tolerance, "how far off it may be: ABS + REL * |expected| (default: 0,0)");
}

void AddMeasurementOptions(CommandLine* line, RunOptions* options) {
  line->Group("Measuring");
  line->Number("--repeat,-n", 1, kMostRuns, &options->repeat, "how often to run it (default: 1)");
  line->Number("--warmup", 0, kMostRuns, &options->warmup, "how often to run it before measuring (default: 0)");
  line->Text("--trace", "FILE", &options->trace, "write what the device did, for https://ui.perfetto.dev");
  line->AddJson(&options->json);
  line->AddForce(&options->replace);
}

template <class T>
std::vector<T> ParseAll(const std::vector<std::string>& texts, T (*parse)(std::string_view)) {
  std::vector<T> values;
  values.reserve(texts.size());
  for (const std::string& text : texts) values.push_back(parse(text));
  return values;
}

void Interpret(const RawOptions& raw, RunOptions* options) {
  options->named = ParseAll(raw.named, ParseNamedArgument);
  const Variables variables = VariablesOf(options->named);
  if (!raw.workgroups.empty()) options->workgroup_count = ParseDim3("--workgroups", raw.workgroups, variables);
  if (!raw.workgroup_size.empty()) {
    options->workgroup_size = ParseDim3("--workgroup-size", raw.workgroup_size, variables);
  }
  if (!raw.tolerance.empty()) options->tolerance = ParseTolerance(raw.tolerance);
  options->inputs = ParseAll(raw.inputs, ParseInputArgument);
  options->outputs = ParseAll(raw.outputs, ParseOutputArgument);
  options->expected = ParseAll(raw.expected, ParseExpectArgument);
  options->constants = ParseAll(raw.constants, ParseConstantArgument);
  options->specializations = ParseAll(raw.specializations, ParseSpecializeArgument);
}

// --properties goes with what says which exports, and of which size, and with nothing that a run alone has.
void CheckRunsNothing(const RunOptions& options, const RawOptions& raw) {
  const std::initializer_list<std::pair<const char*, bool>> of_a_run = {
      {"--workgroups", !raw.workgroups.empty()},   {"--input", !raw.inputs.empty()},
      {"--output", !raw.outputs.empty()},          {"--expect", !raw.expected.empty()},
      {"--constant", !raw.constants.empty()},      {"--tolerance", !raw.tolerance.empty()},
      {"an argument by name", !raw.named.empty()}, {"--repeat", options.repeat != 1},
      {"--warmup", options.warmup != 0},           {"--trace", !options.trace.empty()}};
  for (const auto& [name, is_given] : of_a_run) {
    if (is_given) Fail(ExitCode::kUsage, "--properties runs nothing; leave out ", name);
  }
}

void CheckComplete(const RunOptions& options, const RawOptions& raw) {
  if (options.device.device.empty()) FailMissing("--device=URI");
  if (options.executable.empty()) FailMissing("--executable=FILE");
  if (options.properties) CheckRunsNothing(options, raw);
  if (!raw.tolerance.empty() && raw.expected.empty())
    Fail(ExitCode::kUsage, "--tolerance says nothing without --expect");
}

}  // namespace

std::optional<RunOptions> ParseRunOptions(int argc, const char* const* argv) {
  RunOptions options;
  RawOptions raw;
  CommandLine line("halyard-run",
                   "--device=URI --executable=FILE --function=NAME [--workgroups=X,Y,Z] [options] [NAME=VALUE …]",
                   kPurpose);
  AddKernelOptions(&line, &options, &raw);
  AddDataOptions(&line, &raw);
  AddMeasurementOptions(&line, &options);
  line.SetEpilogue(kExamples);
  line.LeaveWordsWith("=:");
  if (!line.Parse(argc, argv)) return std::nullopt;
  raw.named = line.Rest();
  CheckComplete(options, raw);
  Interpret(raw, &options);
  return options;
}

}  // namespace halyard::tools
