// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_pack.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "../function_parameters.h"
#include "image/shared_object/elf_symbols.h"
#include "import_stub.h"
#include "mlir_compile.h"
#include "mlir_tools.h"
#include "support/failure.h"
#include "support/functions/mlir_functions.h"
#include "support/functions/mlir_module.h"
#include "support/input_file.h"
#include "support/output_file.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kMaxModuleSize = size_t{256} << 20;

// A module where the tools can read it more than once: of a pipe, a copy.
std::string PathOf(const PackOptions& options, const WorkFolder& folder) {
  std::error_code unknown;
  if (std::filesystem::is_regular_file(options.mlir, unknown)) return options.mlir;
  return folder.Write("input.mlir", ReadTextFile(options.mlir, kMaxModuleSize));
}

// The module's generic form, made by mlir-opt if the file is another.
std::string ReadGeneric(const PackOptions& options, const std::string& path, const WorkFolder& folder) {
  std::string text = ReadTextFile(path, kMaxModuleSize);
  if (IsGenericMlir(text)) return text;
  return MlirTools::Find(options.mlir_version).Optimise(path, {}, /*keep_places=*/false, folder);
}

MlirCompiled ReadOnly(const PackOptions& options, const std::string& path, const WorkFolder& folder) {
  MlirCompiled read;
  read.functions = ReadMlirFunctions(ReadGeneric(options, path, folder), options.mlir_exports);
  read.imports = ImportedSymbols(read.functions.declared);
  return read;
}

// Reads a module, and compiles it unless only its functions are asked for.
MlirCompiled Read(const PackOptions& options, bool compiles, const WorkFolder& folder) {
  try {
    const std::string path = PathOf(options, folder);
    return compiles ? CompileMlir(options, path, folder) : ReadOnly(options, path, folder);
  } catch (const Failure& failure) {
    Fail(failure.code(), "'", options.mlir, "': ", failure.what());
  }
}

void WriteStub(const PackOptions& options, const std::string& stub) {
  WriteFile(options.import_stub, kGeneratedSource, options.replace, std::as_bytes(std::span(stub)));
}

// A function as an export; one that cannot be called is left out.
void AddExport(const MlirFunction& function, const PackOptions& options, MlirModule* module) {
  ExportDescription description;
  description.name = function.name;
  if (options.images.empty()) description.symbol = CompiledName(function.name);
  description.signature = std::make_shared<MlirSignature>(function, ConventionOf(function, options.bare_pointers));
  try {
    TakeParametersFromSignature(&description);
    module->exports.push_back(std::move(description));
  } catch (const Failure& failure) {
    module->left_out.push_back(Concat("function '", function.name, "': ", failure.what()));
  }
}

[[noreturn]] void FailWithoutExports(const PackOptions& options, const MlirFunctions& functions,
                                     const std::vector<std::string>& left_out) {
  std::string reasons;
  for (const std::string& reason : left_out) reasons += "\n" + reason;
  if (!functions.internal.empty()) {
    reasons += Concat("\nfunctions that are private: ", JoinText(functions.internal), "; --export=NAME exports one");
  }
  Fail(ExitCode::kInput, "'", options.mlir, "' has no public function with a body that can be called", reasons);
}

void CheckExportNames(const PackOptions& options, const MlirFunctions& functions) {
  std::vector<std::string_view> known(functions.internal.begin(), functions.internal.end());
  for (const MlirFunction& function : functions.callable) known.emplace_back(function.name);
  for (const std::string& name : options.mlir_exports) {
    const bool is_left_out = std::ranges::any_of(
        functions.left_out, [&](const std::string& reason) { return reason.starts_with("function '" + name + "'"); });
    if (is_left_out || std::ranges::find(known, name) != known.end()) continue;
    Fail(ExitCode::kInput, "'", options.mlir, "' has no function '", name, "' with a body to export; ",
         SuggestionText(name, known));
  }
}

}  // namespace

MlirModule ReadMlirModule(const PackOptions& options) {
  const WorkFolder folder;
  MlirCompiled compiled = Read(options, /*compiles=*/options.images.empty(), folder);
  CheckExportNames(options, compiled.functions);
  MlirModule module;
  module.left_out = compiled.functions.left_out;
  module.images = std::move(compiled.objects);
  module.imports = compiled.imports;
  module.notes = compiled.notes;
  for (const MlirFunction& function : compiled.functions.callable) AddExport(function, options, &module);
  if (module.exports.empty()) FailWithoutExports(options, compiled.functions, module.left_out);
  if (!options.import_stub.empty()) WriteStub(options, ImportStub(module.imports));
  return module;
}

std::vector<std::string> WriteImportStub(const PackOptions& options) {
  const WorkFolder folder;
  std::vector<std::string> symbols = Read(options, /*compiles=*/false, folder).imports;
  WriteStub(options, ImportStub(symbols));
  return symbols;
}

void CheckImports(const PackOptions& options, const std::string& path, const std::vector<std::byte>& image) {
  const UnresolvedImports missing = FindUnresolvedImports(image);
  if (missing.empty()) return;
  Fail(ExitCode::kInput, "'", path, "' ", UnresolvedText(missing),
       options.images.empty()
           ? "; --link=LIB names a library that has it"
           : "; link it with what --import-stub=FILE writes, or let halyard-pack compile the module");
}

}  // namespace halyard::tools
