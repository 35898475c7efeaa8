// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of mlir-opt that lower a module to the LLVM dialect.
#ifndef HALYARD_TOOLS_PACK_MLIR_PASSES_H_
#define HALYARD_TOOLS_PACK_MLIR_PASSES_H_

#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// Passes in two groups. Between them every function has the type that its signature says.
struct MlirPasses {
  std::vector<std::string> before;
  std::vector<std::string> lowering;
};

/// The passes that a module needs, as far as this mlir-opt has them.
/// @param help  what mlir-opt --help prints
/// @param generic  the module in the generic form
MlirPasses DefaultMlirPasses(std::string_view help, std::string_view generic, bool bare_pointers);

/// Whether the default passes do not free what tensors were made to. That is so if the module has memrefs as well, of
/// which mlir-opt could not tell which the module frees, or sparse tensors.
bool LeavesTensorsAllocated(std::string_view generic);

/// A user's passes: those before the one that converts functions, and the others.
MlirPasses SplitMlirPasses(const std::vector<std::string>& passes);

/// What a lowered module still has that LLVM has not, by operation, with the pass that would help. Empty if there is
/// nothing.
std::string UnloweredText(std::string_view help, std::string_view lowered);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_PASSES_H_
