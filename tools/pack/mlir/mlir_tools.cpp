// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_tools.h"

#include <array>
#include <filesystem>

#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr std::array kVersions = {"22", "21", "20", "19", "18", "17", "16"};
constexpr std::array kTools = {"mlir-opt", "mlir-translate", "clang"};

// The attributes that halyard-pack reads belong to no dialect that mlir-opt knows.
constexpr const char* kAllowAttributes = "--allow-unregistered-dialect";

bool HasAllTools(const std::string& suffix) {
  for (const char* const tool : kTools) {
    if (!FindProgram(tool + suffix)) return false;
  }
  return true;
}

// The first line of a text.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Dialects that no version of mlir-opt lowers for hosts, and what does.
struct ForeignDialect {
  std::string_view name;
  const char* advice;
};
constexpr const char* kStableHlo = "of StableHLO: lower it first (stablehlo-opt --stablehlo-legalize-to-linalg)";
constexpr const char* kIree = "of IREE: iree-compile makes images of it, for --cuda, --hip, --spirv or --metal";
constexpr const char* kTriton = "of Triton: --triton=PATH takes what Triton compiles";
constexpr const char* kKernels =
    "of kernels for devices: compile them (mlir-opt --gpu-lower-to-nvvm-pipeline, for example) and give the images to "
    "--cuda, --hip or --spirv";
constexpr std::array kForeignDialects = {
    ForeignDialect{"stablehlo", kStableHlo},
    ForeignDialect{"chlo", kStableHlo},
    ForeignDialect{"vhlo", "of serialised StableHLO: read it first (stablehlo-translate --deserialize)"},
    ForeignDialect{"mhlo", "of XLA: lower it first (mlir-hlo-opt --hlo-legalize-to-linalg)"},
    ForeignDialect{"torch", "of Torch-MLIR: lower it first (torch-mlir-opt, its pipeline to linalg)"},
    ForeignDialect{"onnx", "of ONNX-MLIR: lower it first (onnx-mlir-opt)"},
    ForeignDialect{"tf", "of TensorFlow: lower it first (tf-opt, to tosa)"},
    ForeignDialect{"tfl", "of TensorFlow: lower it first (tf-opt, to tosa)"},
    ForeignDialect{"flow", kIree},
    ForeignDialect{"stream", kIree},
    ForeignDialect{"hal", kIree},
    ForeignDialect{"util", kIree},
    ForeignDialect{"tt", kTriton},
    ForeignDialect{"ttg", kTriton},
    ForeignDialect{"fir", "of Flang: compile it with flang"},
    ForeignDialect{"hlfir", "of Flang: compile it with flang"},
    ForeignDialect{"cir", "of ClangIR: compile it with clang"},
    ForeignDialect{"gpu", kKernels},
};

// What a failure of mlir-opt says of operations of such a dialect, as it shows them. Files may be called so, too.
std::string ForeignDialectText(std::string_view failure) {
  for (const ForeignDialect& dialect : kForeignDialects) {
    for (const std::string& shown :
         {Concat('"', dialect.name, '.'), Concat("= ", dialect.name, '.'), Concat("Dialect `", dialect.name, '\'')}) {
      if (failure.find(shown) == std::string_view::npos) continue;
      return Concat("\n'", dialect.name, "' is a dialect ", dialect.advice);
    }
  }
  return {};
}

// What mlir-opt says of operations that it does not know: "Dialect `ub' not found".
std::string MissingDialectText(std::string_view failure) {
  constexpr std::string_view kBegin = "Dialect `";
  const size_t begin = failure.find(kBegin);
  if (begin == std::string_view::npos) return {};
  const std::string_view name = failure.substr(begin + kBegin.size());
  const size_t end = name.find("' not found");
  if (end == std::string_view::npos) return {};
  return Concat("\nthis version of mlir-opt has no dialect '", name.substr(0, end),
                "'; a newer one may have it: see --mlir-version");
}

}  // namespace

MlirTools MlirTools::Find(const std::string& version) {
  if (!version.empty()) {
    if (HasAllTools("-" + version)) return MlirTools("-" + version);
    Fail(ExitCode::kInput, "MLIR ", version, " is not here: mlir-opt-", version, ", mlir-translate-", version,
         " and clang-", version, " are needed (apt-get install mlir-", version, "-tools clang-", version, ")");
  }
  for (const char* const known : kVersions) {
    if (HasAllTools(std::string("-") + known)) return MlirTools(std::string("-") + known);
  }
  if (HasAllTools("")) return MlirTools("");
  Fail(ExitCode::kInput,
       "no MLIR tools are here: mlir-opt, mlir-translate and clang of one version from 16 to 22 are needed (apt-get "
       "install mlir-19-tools clang-19)");
}

MlirTools MlirTools::For(const std::string& host) const {
  MlirTools tools = *this;
  tools.host_ = host;
  return tools;
}

std::vector<std::string> MlirTools::Clang() const {
  std::vector<std::string> command = {Tool("clang")};
  if (!host_.empty()) command.push_back("--target=" + host_ + "-linux-gnu");
  return command;
}

std::string MlirTools::Help(const WorkFolder& folder) const { return RunCommand({Tool("mlir-opt"), "--help"}, folder); }

std::string MlirTools::Optimise(const std::string& path, const std::vector<std::string>& passes, bool keep_places,
                                const WorkFolder& folder) const {
  std::vector<std::string> command = {Tool("mlir-opt"), kAllowAttributes, "--mlir-print-op-generic"};
  if (keep_places) command.emplace_back("--mlir-print-debuginfo");
  command.push_back(path);
  command.insert(command.end(), passes.begin(), passes.end());
  try {
    return RunCommand(command, folder);
  } catch (const Failure& failure) {
    const std::string foreign = ForeignDialectText(failure.what());
    Fail(failure.code(), failure.what(), foreign.empty() ? MissingDialectText(failure.what()) : foreign);
  }
}

std::string MlirTools::Compile(const std::string& path, const std::string& cpu, const WorkFolder& folder) const {
  const std::string code = folder / "module.ll";
  std::string object = folder / "module.o";
  RunCommand({Tool("mlir-translate"), kAllowAttributes, "--mlir-to-llvmir", path, "-o", code}, folder);
  std::vector<std::string> compile = Clang();
  compile.insert(compile.end(), {"-O3", "-c", "-fPIC", "-Wno-override-module"});
  if (!cpu.empty()) compile.push_back("-march=" + cpu);
  compile.insert(compile.end(), {code, "-o", object});
  RunCommand(compile, folder);
  return object;
}

void MlirTools::Link(const std::vector<std::string>& arguments, const WorkFolder& folder) const {
  std::vector<std::string> command = Clang();
  command.insert(command.end(), {"-O3", "-shared", "-fPIC"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  RunCommand(command, folder);
}

std::string MlirTools::FindLibrary(const std::string& file, const WorkFolder& folder) const {
  std::vector<std::string> command = Clang();
  command.push_back("-print-file-name=" + file);
  return FirstLine(RunCommand(command, folder));
}

std::string MlirTools::FindBuiltins(const WorkFolder& folder) const {
  std::vector<std::string> command = Clang();
  command.insert(command.end(), {"--rtlib=compiler-rt", "-print-libgcc-file-name"});
  const std::string path = FirstLine(RunCommand(command, folder));
  return std::filesystem::exists(path) ? path : "";
}

std::vector<std::string> MlirTools::LibraryFolders() const {
  std::vector<std::string> folders;
  if (!suffix_.empty()) folders.push_back("/usr/lib/llvm" + suffix_ + "/lib");
  folders.insert(folders.end(), {"/usr/local/lib", "/usr/lib"});
  return folders;
}

}  // namespace halyard::tools
