// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The import table of an object that halyard-pack linked: what compiled functions call of others.
#ifndef HALYARD_FUNCTION_IMPORT_TABLE_H_
#define HALYARD_FUNCTION_IMPORT_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "halyard/executable.h"

namespace halyard {

/// One symbol, and where jumps to it go.
struct Import {
  const char* name;
  void* target;
};

/// What `halyard_import_table` of an object points to; the imports follow.
struct ImportTable {
  static constexpr const char* kSymbol = "halyard_import_table";
  static constexpr uint32_t kVersion = 1;

  uint32_t version;
  uint32_t count;

  std::span<Import> Imports() { return {reinterpret_cast<Import*>(this + 1), count}; }
};

/// Checks that functions which the caller gives have names and addresses.
Status CheckGivenImports(std::span<const hal_function_import_t> given);

/// What a symbol that compiled code calls stands for: a given function of that name, or with the prefix of MLIR's
/// wrappers; otherwise memrefCopy and abort of the library. NULL if it is none of them.
void* FindImport(std::string_view symbol, std::span<const hal_function_import_t> given);

/// Fills a table: memrefCopy and abort with the library's own, unless the host gives some, all others with what the
/// host gives. NOT_FOUND with the names of all that the host does not give. INVALID_ARGUMENT for a given function
/// without a name or an address. `table` is NULL for objects that have none; then `given` must be empty.
Status FillImports(ImportTable* table, std::span<const hal_function_import_t> given);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_IMPORT_TABLE_H_
