// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module on its way to the compiler: its functions get names of their own, and what is exported becomes public.
#ifndef HALYARD_TOOLS_PACK_MLIR_SOURCE_H_
#define HALYARD_TOOLS_PACK_MLIR_SOURCE_H_

#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// What stands before the names of compiled functions. No library has such a name, so that neither the linker nor the
/// optimiser takes a module's function `exp` for the one of libm.
inline constexpr std::string_view kCompiledPrefix = "halyard.";

/// Prepares a module that mlir-opt printed in the generic form.
/// - Functions with a body are renamed, in the whole text.
/// - Private functions in `exported` become public.
/// - Tensors that exported functions take are marked as not writable, unless the module says otherwise: a function that
///   was written for values must not change its arguments.
std::string PrepareMlir(std::string_view generic, const std::vector<std::string>& exported);

/// A text in which compiled functions have the names of the source again.
std::string WithSourceNames(std::string text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_SOURCE_H_
