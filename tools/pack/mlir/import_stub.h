// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The import table that is linked into objects made from MLIR: their calls of imports go through it.
#ifndef HALYARD_TOOLS_PACK_IMPORT_STUB_H_
#define HALYARD_TOOLS_PACK_IMPORT_STUB_H_

#include <string>
#include <vector>

#include "support/functions/mlir_functions.h"

namespace halyard::tools {

/// What the object of a module calls a declared function: `_mlir_ciface_<name>` or `<name>`.
std::string ImportedSymbol(const MlirFunction& function);

/// The symbols that a module's object leaves to others: `_mlir_ciface_<name>` or `<name>` of the functions it declares,
/// then what MLIR's own code calls: memrefCopy and abort.
std::vector<std::string> ImportedSymbols(const std::vector<MlirFunction>& declared);

/// C that defines these symbols, hidden, as jumps through a table that the loader fills (function/import_table.h). The
/// registers pass through untouched, so it does not matter what the functions take. Throws Failure (kInput) for names
/// that no assembler takes.
std::string ImportStub(const std::vector<std::string>& symbols);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_IMPORT_STUB_H_
