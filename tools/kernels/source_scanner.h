// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words, numbers and marks of a kernel source, one after the other.
#ifndef HALYARD_TOOLS_KERNELS_SOURCE_SCANNER_H_
#define HALYARD_TOOLS_KERNELS_SOURCE_SCANNER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "support/failure.h"

namespace halyard::tools {

/// A piece of the source; empty at its end.
struct Token {
  std::string_view text;
  size_t begin = 0;  ///< where it stands
  size_t line = 0;   ///< counted from 1

  bool IsWord() const;
  bool IsNumber() const;
};

/// Reads a source from its begin to its end. Comments, and lines of the preprocessor, are passed over.
class SourceScanner {
 public:
  SourceScanner(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  /// The next piece. A string or a character in quotes is one piece, whatever is in it.
  Token Next();
  /// The same without moving on.
  Token Peek() const { return SourceScanner(*this).Next(); }
  /// The end of the last piece.
  size_t position() const { return position_; }

  /// Throws a Failure with the place of a piece.
  template <class... Parts>
  [[noreturn]] void Fail(const Token& at, const Parts&... parts) const {
    tools::Fail(ExitCode::kInput, path_, ":", at.line, ": ", parts...);
  }

 private:
  void PassOver(size_t end);
  bool PassBlanks();
  bool PassComment();
  bool PassDirective();

  const std::string& path_;
  std::string_view text_;
  size_t position_ = 0;
  size_t line_ = 1;
  bool at_line_begin_ = true;  // nothing but blanks and comments stands before, on this line
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_KERNELS_SOURCE_SCANNER_H_
