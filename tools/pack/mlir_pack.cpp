// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_pack.h"

#include <memory>
#include <span>

#include "function_parameters.h"
#include "image/shared_object/elf_symbols.h"
#include "import_stub.h"
#include "mlir_tools.h"
#include "support/failure.h"
#include "support/input_file.h"
#include "support/mlir_functions.h"
#include "support/output_file.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kMaxModuleSize = size_t{256} << 20;

hal_calling_convention_t ConventionOf(const MlirFunction& function, bool bare_pointers) {
  if (bare_pointers) return HAL_CALLING_CONVENTION_BARE_POINTER;
  return function.has_c_interface ? HAL_CALLING_CONVENTION_WRAPPER : HAL_CALLING_CONVENTION_EXPANDED;
}

ExportDescription Describe(const MlirFunction& function, bool bare_pointers) {
  ExportDescription description;
  description.name = function.name;
  description.signature = std::make_shared<MlirSignature>(function, ConventionOf(function, bare_pointers));
  TakeParametersFromSignature(&description);
  return description;
}

// The module's generic form, made by mlir-opt if the file is another.
std::string ReadGeneric(const PackOptions& options, const WorkFolder& folder) {
  std::string text = ReadTextFile(options.mlir, kMaxModuleSize);
  if (IsGenericMlir(text)) return text;
  return MlirTools::Find(options.mlir_version).Generic(options.mlir, folder);
}

std::vector<MlirFunction> ReadFunctions(const PackOptions& options, const WorkFolder& folder) {
  try {
    return ReadMlirFunctions(ReadGeneric(options, folder));
  } catch (const Failure& failure) {
    Fail(failure.code(), "'", options.mlir, "': ", failure.what());
  }
}

void WriteStub(const PackOptions& options, const std::string& stub) {
  WriteFile(options.import_stub, kGeneratedSource, options.replace, std::as_bytes(std::span(stub)));
}

}  // namespace

MlirModule ReadMlirModule(const PackOptions& options) {
  const WorkFolder folder;
  const std::vector<MlirFunction> functions = ReadFunctions(options, folder);
  MlirModule module;
  for (const MlirFunction& function : functions) {
    if (!function.is_external) module.exports.push_back(Describe(function, options.bare_pointers));
  }
  if (module.exports.empty()) Fail(ExitCode::kInput, "'", options.mlir, "' has no public function with a body");
  module.imports = ImportedSymbols(functions);
  const std::string stub = ImportStub(module.imports);
  if (!options.import_stub.empty()) WriteStub(options, stub);
  if (!options.images.empty()) return module;
  const std::string object =
      MlirTools::Find(options.mlir_version)
          .Compile(options.mlir, options.passes, options.bare_pointers, options.cpu, stub, folder);
  module.image = ReadFile(object);
  return module;
}

std::vector<std::string> WriteImportStub(const PackOptions& options) {
  const WorkFolder folder;
  std::vector<std::string> symbols = ImportedSymbols(ReadFunctions(options, folder));
  WriteStub(options, ImportStub(symbols));
  return symbols;
}

void CheckImports(const std::string& path, const std::vector<std::byte>& image) {
  const UnresolvedImports missing = FindUnresolvedImports(image);
  if (missing.empty()) return;
  Fail(ExitCode::kInput, "'", path, "' ", UnresolvedText(missing),
       "; link it with what --import-stub=FILE writes, or let halyard-pack compile the module");
}

}  // namespace halyard::tools
