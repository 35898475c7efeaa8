// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_compile.h"

#include <algorithm>
#include <map>

#include "lowered_types.h"
#include "mlir_link.h"
#include "mlir_passes.h"
#include "mlir_source.h"
#include "mlir_tools.h"
#include "support/failure.h"
#include "support/functions/mlir_module.h"
#include "support/input_file.h"
#include "support/kernels/export_description.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// The symbols of an object and their types.
using LoweredTypes = std::map<std::string, std::string, std::less<>>;

LoweredTypes ReadLoweredTypes(std::string_view lowered) {
  LoweredTypes types;
  for (const MlirOperation& operation : ReadMlirOperations(lowered)) {
    if (operation.name != "llvm.func" || !operation.has_body || operation.is_nested) continue;
    types[operation.String("sym_name")] = PlainLoweredType(operation.Text("function_type"));
  }
  return types;
}

std::string SymbolOf(const MlirFunction& function, bool bare_pointers) {
  const bool wrapper = ConventionOf(function, bare_pointers) == HAL_CALLING_CONVENTION_WRAPPER;
  return (wrapper ? "_mlir_ciface_" : "") + CompiledName(function.name);
}

// A function that was compiled for other arguments than the ones it will be called with would crash.
void CheckLoweredType(const MlirFunction& function, bool bare_pointers, const LoweredTypes& types) {
  if (function.is_llvm) return;
  const MlirSignature signature(function, ConventionOf(function, bare_pointers));
  const std::string symbol = SymbolOf(function, bare_pointers);
  const std::string expected = LoweredType(signature.Get());
  const auto found = types.find(symbol);
  if (found == types.end()) {
    Fail(ExitCode::kInput, "INCOMPATIBLE: function '", function.name, "': the passes left no function '",
         WithSourceNames(symbol), "' of the LLVM dialect; --convert-func-to-llvm makes it");
  }
  if (found->second == expected) return;
  Fail(ExitCode::kInput, "INCOMPATIBLE: function '", function.name, "': its type is ",
       FunctionTypeText(signature.Get()), ", which is called as '", expected, "', but it was compiled as '",
       found->second, "'; passes that change what functions take must stand before --convert-func-to-llvm",
       bare_pointers ? ", which takes =use-bare-ptr-memref-call-conv=1 with --bare-pointers" : "");
}

/// One module on its way.
class Compilation {
 public:
  Compilation(const PackOptions& options, const std::string& path, const WorkFolder& folder)
      : options_(options), path_(path), folder_(folder), tools_(MlirTools::Find(options.mlir_version)) {}

  MlirCompiled Run() {
    MlirCompiled compiled;
    help_ = tools_.Help(folder_);
    std::string text = tools_.Optimise(path_, {}, /*keep_places=*/true, folder_);
    ReadMlirFunctions(text, options_.mlir_exports);  // complains of what is no module with functions
    text = PrepareMlir(text, options_.mlir_exports);
    MlirPasses passes = Passes(text);
    if (options_.passes.empty() && LeavesTensorsAllocated(text)) {
      compiled.notes.emplace_back(
          "the module returns or frees memrefs beside its tensors: the memory of tensors that no function returns is "
          "not freed");
    }
    if (!passes.before.empty()) text = Optimise("typed.mlir", text, passes.before, /*keep_places=*/true);
    if (options_.passes.empty()) passes = Passes(text);  // what the first ones made may need others
    compiled.functions = Functions(text);
    if (compiled.functions.callable.empty()) return compiled;
    text = Lower(text, passes.lowering, compiled.functions);
    CheckLowered(text, compiled.functions);
    for (const std::string& host : options_.hosts) Link(text, tools_.For(host), &compiled);
    return compiled;
  }

 private:
  MlirPasses Passes(const std::string& text) const {
    return options_.passes.empty() ? DefaultMlirPasses(help_, text, options_.bare_pointers)
                                   : SplitMlirPasses(options_.passes);
  }

  std::string Optimise(std::string_view name, const std::string& text, const std::vector<std::string>& passes,
                       bool keep_places) const {
    try {
      return tools_.Optimise(folder_.Write(name, text), passes, keep_places, folder_);
    } catch (const Failure& failure) {
      const bool is_default = options_.passes.empty();
      Fail(failure.code(), WithSourceNames(failure.what()),
           is_default ? MissingPassesText(help_, text, failure.what()) : "");
    }
  }

  // Version 18 refuses casts that it cannot take away. Without that pass it shows what is left over, which says more.
  std::string Lower(const std::string& text, std::vector<std::string> passes, const MlirFunctions& functions) const {
    try {
      return Optimise("source.mlir", text, passes, /*keep_places=*/false);
    } catch (const Failure&) {
      if (passes.empty() || passes.back() != kReconcileCasts) throw;
      passes.pop_back();
      CheckLowered(Optimise("source.mlir", text, passes, /*keep_places=*/false), functions);
      throw;
    }
  }

  // The functions as callers see them.
  MlirFunctions Functions(const std::string& text) const {
    std::vector<std::string> exported;
    for (const std::string& name : options_.mlir_exports) exported.push_back(CompiledName(name));
    MlirFunctions functions = ReadMlirFunctions(text, exported);
    for (MlirFunction& function : functions.callable) function.name = WithSourceNames(function.name);
    for (std::string& reason : functions.left_out) reason = WithSourceNames(reason);
    for (std::string& name : functions.internal) name = WithSourceNames(name);
    return functions;
  }

  void CheckLowered(const std::string& lowered, const MlirFunctions& functions) const {
    const std::string left = UnloweredText(help_, lowered);
    if (!left.empty()) {
      Fail(ExitCode::kInput, "what ", tools_.Tool("mlir-opt"), " made is not all of the LLVM dialect:\n", left,
           "\n--passes='--…' sets other passes");
    }
    const LoweredTypes types = ReadLoweredTypes(lowered);
    for (const MlirFunction& function : functions.callable) CheckLoweredType(function, options_.bare_pointers, types);
  }

  // Version 18 keeps elements of f8 in the LLVM dialect, and its translation crashes.
  std::string Compile(const std::string& lowered, const MlirTools& tools) const {
    try {
      return tools.Compile(folder_.Write("lowered.mlir", lowered), options_.cpu, folder_);
    } catch (const Failure& failure) {
      if (lowered.find("f8E") == std::string::npos) throw;
      Fail(failure.code(), failure.what(), "\n", kNoPassForF8);
    }
  }

  // Files of the architecture before are replaced.
  void Link(const std::string& lowered, const MlirTools& tools, MlirCompiled* compiled) const {
    MlirLinkJob job;
    job.object = Compile(lowered, tools);
    job.declared = compiled->functions.declared;
    job.libraries = options_.link;
    for (const MlirFunction& function : compiled->functions.callable) {
      job.exported.push_back(SymbolOf(function, options_.bare_pointers));
    }
    // Variables can be found by name, too.
    for (const MlirOperation& operation : ReadMlirOperations(lowered)) {
      if (operation.name != "llvm.mlir.global" || operation.is_nested) continue;
      if (operation.Text("linkage").find("external") != std::string::npos) {
        job.exported.push_back(operation.String("sym_name"));
      }
    }
    const MlirLinked linked = LinkMlir(tools, job, folder_);
    compiled->objects.push_back(ReadFile(linked.path));
    for (const std::string& symbol : linked.imports) {
      if (std::ranges::find(compiled->imports, symbol) == compiled->imports.end()) compiled->imports.push_back(symbol);
    }
  }

  const PackOptions& options_;
  const std::string& path_;
  const WorkFolder& folder_;
  const MlirTools tools_;
  std::string help_;
};

}  // namespace

hal_calling_convention_t ConventionOf(const MlirFunction& function, bool bare_pointers) {
  if (function.is_llvm) return HAL_CALLING_CONVENTION_C;
  if (bare_pointers) return HAL_CALLING_CONVENTION_BARE_POINTER;
  return function.has_c_interface ? HAL_CALLING_CONVENTION_WRAPPER : HAL_CALLING_CONVENTION_EXPANDED;
}

MlirCompiled CompileMlir(const PackOptions& options, const std::string& path, const WorkFolder& folder) {
  return Compilation(options, path, folder).Run();
}

std::string CompiledName(std::string_view name) { return Concat(kCompiledPrefix, name); }

}  // namespace halyard::tools
