// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The import table that is linked into objects made from MLIR: their calls of imports go through it.
#ifndef HALYARD_TOOLS_PACK_IMPORT_STUB_H_
#define HALYARD_TOOLS_PACK_IMPORT_STUB_H_

#include <string>
#include <vector>

#include "support/mlir_functions.h"

namespace halyard::tools {

/// The symbols that a module's object leaves to others: `_mlir_ciface_<name>` or `<name>` of its external functions,
/// then what MLIR's own code calls: memrefCopy and abort.
std::vector<std::string> ImportedSymbols(const std::vector<MlirFunction>& functions);

/// C that defines these symbols, hidden, as jumps through a table that the loader fills (function/import_table.h). The
/// registers pass through untouched, so it does not matter what the functions take.
std::string ImportStub(const std::vector<std::string>& symbols);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_IMPORT_STUB_H_
