// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linking a compiled module: its import table, libraries, the compiler's builtins, and which symbols others see.
#ifndef HALYARD_TOOLS_PACK_MLIR_LINK_H_
#define HALYARD_TOOLS_PACK_MLIR_LINK_H_

#include <string>
#include <vector>

#include "mlir_tools.h"
#include "support/functions/mlir_functions.h"

namespace halyard::tools {

/// What is linked.
struct MlirLinkJob {
  std::string object;                  ///< path of the object file
  std::vector<MlirFunction> declared;  ///< functions that the module uses and does not have
  std::vector<std::string> exported;   ///< symbols that others see
  std::vector<std::string> libraries;  ///< as --link names them
};

/// A shared object.
struct MlirLinked {
  std::string path;
  std::vector<std::string> imports;  ///< symbols that the host provides
};

/// Links a shared object.
///
/// All symbols but the exported ones are hidden, and calls of them stay inside. A declared function is, in this order:
/// one of `libraries`; one of libm, if it takes and returns mere numbers; one of MLIR's runtime libraries; an import,
/// which the host provides. Other symbols that are missing are looked for in MLIR's runtime libraries and among the
/// compiler's builtins. Throws Failure (kInput): libraries that are not found, complaints of the linker.
MlirLinked LinkMlir(const MlirTools& tools, const MlirLinkJob& job, const WorkFolder& folder);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_LINK_H_
