// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading files whole.
#ifndef HALYARD_TOOLS_SUPPORT_INPUT_FILE_H_
#define HALYARD_TOOLS_SUPPORT_INPUT_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace halyard::tools {

/// Reads a file, pipes included, to its end. Throws Failure (kInput) with the system's message.
std::vector<std::byte> ReadFile(const std::string& path);

/// Reads a file of text; throws as well if it is larger than `most` bytes, which no file of its kind is.
std::string ReadTextFile(const std::string& path, size_t most);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_INPUT_FILE_H_
