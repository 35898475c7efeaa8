// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regular expressions, each compiled once: compiling one costs more than matching a declaration.
#ifndef HALYARD_TOOLS_API_PATTERN_H_
#define HALYARD_TOOLS_API_PATTERN_H_

#include <map>
#include <regex>
#include <string>

namespace halyard::abi {

/// The compiled form of `pattern`. Thread-compatible.
inline const std::regex& Pattern(const char* pattern) {
  static std::map<std::string, std::regex> patterns;
  return patterns.try_emplace(pattern, pattern).first->second;
}

}  // namespace halyard::abi

#endif  // HALYARD_TOOLS_API_PATTERN_H_
