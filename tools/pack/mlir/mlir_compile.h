// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module of MLIR to a shared object, with the functions that it then has.
#ifndef HALYARD_TOOLS_PACK_MLIR_COMPILE_H_
#define HALYARD_TOOLS_PACK_MLIR_COMPILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pack/options.h"
#include "support/functions/mlir_functions.h"
#include "support/program/command.h"

namespace halyard::tools {

/// How a function is called.
hal_calling_convention_t ConventionOf(const MlirFunction& function, bool bare_pointers);

/// A compiled module.
struct MlirCompiled {
  MlirFunctions functions;                      ///< as they were compiled, with the names of the source
  std::vector<std::vector<std::byte>> objects;  ///< the shared object for each of the options' hosts
  std::vector<std::string> imports;             ///< symbols that the host provides
  std::vector<std::string> notes;               ///< what the user should know
};

/// Compiles a module. Each function's type is read where the module's functions get it, and compared with what was
/// compiled. Throws Failure (kInput): tools that are missing or refuse, operations that are left over, types that do
/// not match.
MlirCompiled CompileMlir(const PackOptions& options, const std::string& path, const WorkFolder& folder);

/// The name of an exported function in the object.
std::string CompiledName(std::string_view name);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_COMPILE_H_
