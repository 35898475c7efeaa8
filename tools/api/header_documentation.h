// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the comments of our own C headers: what documents which declaration.
#ifndef HALYARD_TOOLS_API_HEADER_DOCUMENTATION_H_
#define HALYARD_TOOLS_API_HEADER_DOCUMENTATION_H_

#include <map>
#include <string>

namespace halyard::abi {

/// Documentation by what it documents: a type, function, constant or enumerator by its name, a member of a struct as
/// "hal_dim3_t.x". Lines are joined, paragraphs are two line feeds apart.
using Documentation = std::map<std::string, std::string>;

Documentation ReadDocumentation(const std::string& contents);

}  // namespace halyard::abi

#endif  // HALYARD_TOOLS_API_HEADER_DOCUMENTATION_H_
