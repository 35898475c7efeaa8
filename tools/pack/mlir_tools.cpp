// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_tools.h"

#include <array>

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

// Passes in their order. Of names that stand for the same in different versions, the first that there is.
struct Pass {
  const char* name;
  const char* older = nullptr;
  bool takes_bare_pointers = false;
};
constexpr Pass kPasses[] = {
    {"--convert-linalg-to-loops"},
    {"--lower-affine"},
    {"--convert-vector-to-scf"},
    {"--convert-scf-to-cf"},
    {"--expand-strided-metadata"},
    {"--lower-affine"},
    {"--convert-complex-to-llvm"},
    {"--convert-math-to-llvm"},
    {"--convert-math-to-libm"},
    {"--convert-vector-to-llvm"},
    {"--convert-arith-to-llvm"},
    {"--convert-index-to-llvm"},
    {"--finalize-memref-to-llvm", "--convert-memref-to-llvm"},
    {"--convert-func-to-llvm", nullptr, true},
    {"--convert-cf-to-llvm"},
    {"--reconcile-unrealized-casts"},
};

// Whether the help of mlir-opt lists an option.
bool Lists(const std::string& help, const std::string& option) {
  for (size_t at = help.find(option); at != std::string::npos; at = help.find(option, at + 1)) {
    const char next = at + option.size() < help.size() ? help[at + option.size()] : ' ';
    if (next == ' ' || next == '=' || next == '\n') return true;
  }
  return false;
}

}  // namespace

bool IsGenericMlir(std::string_view text) { return text.find("\"builtin.module\"()") != std::string_view::npos; }

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

std::string MlirTools::Generic(const std::string& path, const WorkFolder& folder) const {
  return RunCommand({Tool("mlir-opt"), kAllowAttributes, "--mlir-print-op-generic", path}, folder);
}

std::vector<std::string> MlirTools::DefaultPasses(bool bare_pointers, const WorkFolder& folder) const {
  const std::string help = RunCommand({Tool("mlir-opt"), "--help"}, folder);
  std::vector<std::string> passes;
  for (const Pass& pass : kPasses) {
    std::string name = Lists(help, pass.name) || !pass.older ? pass.name : pass.older;
    if (bare_pointers && pass.takes_bare_pointers) name += "=use-bare-ptr-memref-call-conv=1";
    if (Lists(help, name.substr(0, name.find('=')))) passes.push_back(std::move(name));
  }
  return passes;
}

std::string MlirTools::Compile(const std::string& path, const std::vector<std::string>& passes, bool bare_pointers,
                               const std::string& cpu, const std::string& stub, const WorkFolder& folder) const {
  const std::vector<std::string> used = passes.empty() ? DefaultPasses(bare_pointers, folder) : passes;
  std::vector<std::string> lower = {Tool("mlir-opt"), kAllowAttributes, path, "-o", folder / "lowered.mlir"};
  lower.insert(lower.begin() + 3, used.begin(), used.end());
  RunCommand(lower, folder);
  RunCommand({Tool("mlir-translate"), kAllowAttributes, "--mlir-to-llvmir", folder / "lowered.mlir", "-o",
              folder / "module.ll"},
             folder);
  std::string object = folder / "module.so";
  std::vector<std::string> compile = {Tool("clang"), "-O3", "-shared", "-fPIC", "-Wno-override-module"};
  if (!cpu.empty()) compile.push_back("-march=" + cpu);
  compile.insert(compile.end(), {folder / "module.ll", folder.Write("stub.c", stub), "-lm", "-o", object});
  RunCommand(compile, folder);
  return object;
}

}  // namespace halyard::tools
