// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MLIR tools that are installed, and what they make of a module.
#ifndef HALYARD_TOOLS_PACK_MLIR_TOOLS_H_
#define HALYARD_TOOLS_PACK_MLIR_TOOLS_H_

#include <optional>
#include <string>
#include <vector>

#include "halyard/memref.h"
#include "support/command.h"

namespace halyard::tools {

/// mlir-opt, mlir-translate and clang of one version.
class MlirTools {
 public:
  /// The named version, or the newest from 22 to 16 of which all three are there. Throws Failure (kInput), with the
  /// packages that would help.
  static MlirTools Find(const std::string& version);

  /// The generic form of a module. Unchanged if it is that already.
  std::string Generic(const std::string& path, const WorkFolder& folder) const;

  /// Lowers a module to LLVM and compiles it to a shared object, together with a source of C.
  /// @param passes  of mlir-opt; empty for a list that lowers linalg, affine, scf, vector, math, complex and memref
  std::string Compile(const std::string& path, const std::vector<std::string>& passes, bool bare_pointers,
                      const std::string& cpu, const std::string& stub, const WorkFolder& folder) const;

 private:
  explicit MlirTools(std::string suffix) : suffix_(std::move(suffix)) {}
  std::vector<std::string> DefaultPasses(bool bare_pointers, const WorkFolder& folder) const;
  std::string Tool(const char* name) const { return name + suffix_; }

  std::string suffix_;  // "-19"
};

/// Whether a text is a module in the generic form.
bool IsGenericMlir(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_TOOLS_H_
