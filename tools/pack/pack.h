// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making an executable file.
#ifndef HALYARD_TOOLS_PACK_PACK_H_
#define HALYARD_TOOLS_PACK_PACK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/host_memory.h"
#include "options.h"

namespace halyard::tools {

/// A file that was made.
struct Packed {
  HostVector<std::byte> bytes;
  std::vector<std::string> notes;  ///< what the user should know of it: guesses, for example
};

/// Reads images and description, checks that they fit each other, and writes the file whole or not at all. Throws
/// Failure (kInput, kOutput).
Packed Pack(const PackOptions& options);

/// Writes SPIR-V in Metal's language. Throws the same.
void Translate(const PackOptions& options);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_PACK_H_
