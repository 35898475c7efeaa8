// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what our own C headers declare. Knows the forms that they use, and refuses any other, so that nothing is
// passed over in silence.
#ifndef HALYARD_TOOLS_API_HEADER_READER_H_
#define HALYARD_TOOLS_API_HEADER_READER_H_

#include <string>
#include <vector>

namespace halyard::abi {

enum class Kind {
  kStruct,
  kEnum,
  kType,         ///< a typedef of a number or of a function pointer
  kFunction,     ///< an exported one
  kConstant,     ///< a macro that stands for a number or a string; `text` is what it stands for
  kForward,      ///< a typedef of a struct that is defined elsewhere, or by the library alone
  kMacro,        ///< a macro that computes a number of its parameters; `text` is what it stands for
  kInitialiser,  ///< a macro that stands for a struct; `text` is its type
};

/// A member of a struct, or an enumerator.
struct Member {
  std::string path;  ///< as in an expression: "u.command"
  std::string text;  ///< its declaration
};

struct Declaration {
  Kind kind;
  std::string name;
  std::string text;             ///< the declaration in one line
  std::vector<Member> members;  // of a macro: its parameters
};

/// Throws std::runtime_error with what it does not understand.
std::vector<Declaration> ReadHeader(const std::string& contents);

}  // namespace halyard::abi

#endif  // HALYARD_TOOLS_API_HEADER_READER_H_
