// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports and image of a module of MLIR.
#ifndef HALYARD_TOOLS_PACK_MLIR_PACK_H_
#define HALYARD_TOOLS_PACK_MLIR_PACK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "pack/options.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {

/// What halyard-pack takes from a module.
struct MlirModule {
  std::vector<ExportDescription> exports;      ///< with signatures
  std::vector<std::vector<std::byte>> images;  ///< the shared objects that were compiled here, one for each host
  std::vector<std::string> imports;            ///< symbols that its object leaves to others
  std::vector<std::string> left_out;           ///< functions that cannot be called, with the reason
  std::vector<std::string> notes;              ///< what else the user should know
};

/// Reads the module that --mlir names, and compiles it unless a finished shared object is given. Throws Failure
/// (kInput): tools that are missing or refuse, nothing to export.
MlirModule ReadMlirModule(const PackOptions& options);

/// Writes the source of the import table that the module --mlir needs to --import-stub; returns the symbols that it
/// defines. Throws Failure (kInput, kOutput).
std::vector<std::string> WriteImportStub(const PackOptions& options);

/// Refuses an object that calls what neither it nor its libraries have, naming all of it.
void CheckImports(const PackOptions& options, const std::string& path, const std::vector<std::byte>& image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_PACK_H_
