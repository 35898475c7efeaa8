// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of mlir-opt that lower a module to the LLVM dialect.
#ifndef HALYARD_TOOLS_PACK_MLIR_PASSES_H_
#define HALYARD_TOOLS_PACK_MLIR_PASSES_H_

#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// What a user is told of modules with such elements, where they are the likely reason of a failure.
inline constexpr std::string_view kNoPassForF8 =
    "this version of mlir-opt has no pass that lowers elements of f8; version 19 has";

/// The last of the default passes. It takes away the casts that the others left between types of two dialects.
inline constexpr const char* kReconcileCasts = "--reconcile-unrealized-casts";

/// Passes in two groups. Between them every function has the type that its signature says.
struct MlirPasses {
  std::vector<std::string> before;
  std::vector<std::string> lowering;
};

/// The passes that a module needs, as far as this mlir-opt has them.
/// @param help  what mlir-opt --help prints
/// @param generic  the module in the generic form
MlirPasses DefaultMlirPasses(std::string_view help, std::string_view generic, bool bare_pointers);

/// Whether the default passes do not free what tensors were made to. That is so if the module frees memory itself,
/// which mlir-opt's deallocation refuses. It is also so if a function returns a memref, of which the deallocation would
/// make a copy where it is a view of an argument.
bool LeavesTensorsAllocated(std::string_view generic);

/// After a failure of mlir-opt: passes that the module needs and this version has not. Begins with a new line; empty if
/// none is known to be missing.
/// @param failure  what mlir-opt said
std::string MissingPassesText(std::string_view help, std::string_view generic, std::string_view failure);

/// A user's passes: those before the one that converts functions, and the others.
MlirPasses SplitMlirPasses(const std::vector<std::string>& passes);

/// What a lowered module still has that LLVM has not, by operation, with the pass that would help. Empty if there is
/// nothing.
std::string UnloweredText(std::string_view help, std::string_view lowered);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_PASSES_H_
