// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of an MLIR module in the generic form, and the symbols in its text.
#ifndef HALYARD_TOOLS_SUPPORT_MLIR_MODULE_H_
#define HALYARD_TOOLS_SUPPORT_MLIR_MODULE_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/functions/mlir_reader.h"

namespace halyard::tools {

/// An operation at the top of a module: "func.func", "memref.global", …
struct MlirOperation {
  std::string name;
  MlirAttributes attributes;  ///< with the properties
  bool has_body = false;      ///< whether its first region has contents
  bool is_nested = false;     ///< whether it lies in a module within the module

  /// The text of an attribute; empty if there is none.
  std::string Text(std::string_view attribute) const;
  /// An attribute that is a string, without its quotes. Throws Failure (kInput) if there is none.
  std::string String(std::string_view attribute) const;
};

/// Whether a text is a module in the generic form.
bool IsGenericMlir(std::string_view text);

/// Reads the operations of a module, and of modules in it, in their order. Throws Failure (kInput), with the line.
std::vector<MlirOperation> ReadMlirOperations(std::string_view generic);

/// The symbols that a text uses, as `@name` or `@"any name"`.
std::set<std::string, std::less<>> UsedMlirSymbols(std::string_view text);

/// Gives symbols other names, where they are defined and where they are used. Lines stay where they are.
std::string RenameMlirSymbols(std::string_view generic, const std::map<std::string, std::string, std::less<>>& names);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_MLIR_MODULE_H_
