// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiled functions call of others, taken from libraries.
#ifndef HALYARD_TOOLS_RUN_IMPORTS_H_
#define HALYARD_TOOLS_RUN_IMPORTS_H_

#include <string>
#include <vector>

#include "halyard/executable.h"
#include "options.h"

namespace halyard::tools {

/// The functions that an executable imports and the libraries of --import have. The first library that has one counts.
class Imports {
 public:
  /// Opens the libraries, which stay open. Throws Failure (kInput): a library that cannot be loaded, or from which the
  /// executable takes nothing.
  Imports(const RunOptions& options, const std::string& format);

  /// Sets the imports of an executable. They must outlive its creation.
  void SetIn(hal_executable_params_t* params) const;

 private:
  std::vector<std::string> names_;
  std::vector<hal_function_import_t> functions_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_IMPORTS_H_
