// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/file_kind.h"

#include <array>
#include <fstream>

namespace halyard::tools {

bool IsOfKind(const std::string& path, const FileKind& kind) {
  std::array<char, kMarkReach> bytes;
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view beginning(bytes.data(), static_cast<size_t>(file.gcount()));
  if (beginning.empty()) return file.eof();
  const size_t found = beginning.find(kind.mark);
  return kind.place == kAnywhere ? found != std::string_view::npos : found == kind.place;
}

}  // namespace halyard::tools
