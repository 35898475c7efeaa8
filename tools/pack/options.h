// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of halyard-pack.
#ifndef HALYARD_TOOLS_PACK_OPTIONS_H_
#define HALYARD_TOOLS_PACK_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "halyard/executable.h"
#include "launch_corrections.h"
#include "reflect/spirv_reflection.h"
#include "support/file_kind.h"

namespace halyard::tools {

/// An image as the command line names it.
struct ImageOption {
  std::string format;  ///< empty to look at the file
  std::string target;  ///< empty for what the file tells, or any
  std::string path;
  std::vector<std::string> formats = {};  ///< what may be found in the file; empty for everything
};

/// A kernel, or all of a folder, of Triton's cache.
struct TritonOption {
  std::string name;  ///< of the export; empty for the kernel's
  std::string path;
};

/// What one parameter of a kernel is.
struct ParameterCorrection {
  std::string kernel;  ///< its name in the images
  size_t parameter = 0;
  std::optional<uint32_t> offset;  ///< of 8 bytes in it; nothing for the whole
  hal_parameter_kind_t kind = HAL_PARAMETER_KIND_BINDING;
  std::string text;  ///< as the user wrote it
};

struct PackOptions {
  std::vector<ImageOption> images;
  std::vector<TritonOption> triton;
  std::vector<ParameterCorrection> corrections;
  std::vector<LaunchCorrection> launches;
  std::string exports;                    ///< path of the description
  std::string mlir;                       ///< path of a module, instead of the description
  std::string mlir_version;               ///< of the tools to use; empty for the newest
  std::vector<std::string> passes;        ///< that lower the module; empty for those that suit most
  std::string cpu;                        ///< to compile for; empty for every one
  std::vector<std::string> hosts;         ///< architectures to compile for
  std::vector<std::string> mlir_exports;  ///< private functions to export as well
  std::vector<std::string> link;          ///< libraries to link, as paths or names
  std::string import_stub;                ///< where to write the source of the import table
  bool bare_pointers = false;             ///< pass memrefs as bare pointers
  std::string translate;                  ///< path of SPIR-V to write to `output` in Metal's language
  MslVersion metal_version;               ///< of Metal's language
  std::string output;                     ///< path of the new file
  std::string dump;                       ///< path of a file to show; then the others are empty
  bool partial = false;                   ///< a kind of device may lack exports
  bool json = false;
  Replace replace = Replace::kSameKind;

  /// Whether the import stub is all that is asked for.
  bool WritesStubOnly() const { return !import_stub.empty() && images.empty() && output.empty(); }
};

/// Reads the command line. Nothing if it asked for help, which is printed then. Throws Failure (kUsage).
std::optional<PackOptions> ParsePackOptions(int argc, const char* const* argv);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_OPTIONS_H_
