// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/source_lines.h"

#include <algorithm>
#include <charconv>

namespace halyard::msl_host {

std::string WherePresumed(std::string_view text, size_t place) {
  std::string_view file = "program_source";
  size_t line = 1;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end < place; end = text.find('\n', begin)) {
    const std::string_view whole = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t quote = whole.find('"');
    if (!whole.starts_with("# ") || quote == std::string_view::npos) {
      ++line;
      continue;
    }
    std::from_chars(whole.data() + 2, whole.data() + whole.size(), line);
    file = whole.substr(quote + 1, whole.find('"', quote + 1) - quote - 1);
  }
  return std::string(file) + ":" + std::to_string(line) + ":" + std::to_string(place - begin + 1);
}

}  // namespace halyard::msl_host
