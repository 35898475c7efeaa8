// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The MLIR tools that are installed, and what each makes of a module.
#ifndef HALYARD_TOOLS_PACK_MLIR_TOOLS_H_
#define HALYARD_TOOLS_PACK_MLIR_TOOLS_H_

#include <string>
#include <vector>

#include "support/program/command.h"

namespace halyard::tools {

/// mlir-opt, mlir-translate and clang of one version.
class MlirTools {
 public:
  /// The named version, or the newest from 22 to 16 of which all three are there. Throws Failure (kInput), with the
  /// packages that would help.
  static MlirTools Find(const std::string& version);

  /// The same tools, of which clang works for hosts of an architecture ("aarch64").
  MlirTools For(const std::string& host) const;

  /// What mlir-opt can do.
  std::string Help(const WorkFolder& folder) const;

  /// Runs passes; returns the module in the generic form.
  /// @param keep_places  print where in its file each operation stood
  std::string Optimise(const std::string& path, const std::vector<std::string>& passes, bool keep_places,
                       const WorkFolder& folder) const;

  /// Compiles a module of the LLVM dialect to an object file, and returns its path.
  std::string Compile(const std::string& path, const std::string& cpu, const WorkFolder& folder) const;

  /// Links a shared object with clang.
  void Link(const std::vector<std::string>& arguments, const WorkFolder& folder) const;

  /// The path of a library that clang finds by its file's name; the name itself if there is none.
  std::string FindLibrary(const std::string& file, const WorkFolder& folder) const;

  /// The compiler's own library of builtins; empty if it is not installed.
  std::string FindBuiltins(const WorkFolder& folder) const;

  /// The folders in which MLIR's runtime libraries of this version may lie.
  std::vector<std::string> LibraryFolders() const;

  /// The architecture that For() was given.
  const std::string& Host() const { return host_; }

  /// "mlir-opt-19".
  std::string Tool(const char* name) const { return name + suffix_; }

 private:
  explicit MlirTools(std::string suffix) : suffix_(std::move(suffix)) {}

  std::vector<std::string> Clang() const;

  std::string suffix_;  // "-19"
  std::string host_;    // "aarch64"; empty for the one that clang works for anyway
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_MLIR_TOOLS_H_
