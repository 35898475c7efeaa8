// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading MLIR's generic form: what mlir-opt --mlir-print-op-generic prints, the same from version 16 to 22.
#ifndef HALYARD_TOOLS_SUPPORT_MLIR_READER_H_
#define HALYARD_TOOLS_SUPPORT_MLIR_READER_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// A place in a text, and the small moves from which readers of types and operations are made. Every failing move
/// throws Failure (kInput), with the line if the text is a whole module.
class MlirReader {
 public:
  explicit MlirReader(std::string_view text, bool tells_lines = false) : text_(text), tells_lines_(tells_lines) {}

  bool AtEnd();
  /// Whether `text` comes next; spaces and comments do not count.
  bool Sees(std::string_view text);
  /// Takes `text` if it comes next.
  bool Take(std::string_view text);
  void Expect(std::string_view text);
  /// Letters, digits and "_$.-", as keywords and attribute names are made of; empty if there are none.
  std::string_view Word();
  /// "?" or a number, which may be negative.
  bool TakeDynamic() { return Take("?"); }
  bool TakeNumber(int64_t* out);
  /// The contents of a string, with its escapes resolved.
  std::string String();
  /// Everything up to a "," or a closing bracket that belongs to what is around it.
  std::string_view Balanced();
  /// Takes one character, or a whole string.
  void Skip();
  /// Takes one character, a whole string, or everything between a "(", "[" or "{" and what closes it.
  void SkipGroup();

  [[noreturn]] void Fail(std::string_view what);

 private:
  void SkipSpace();
  size_t Line() const;

  std::string_view text_;
  bool tells_lines_;
  size_t at_ = 0;
};

/// An attribute dictionary, "{a = 1, b}": names and the text of their values, empty for mere flags.
using MlirAttributes = std::map<std::string, std::string, std::less<>>;
/// Adds the attributes of a dictionary whose "{" was taken.
void ReadMlirAttributes(MlirReader* reader, MlirAttributes* attributes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_MLIR_READER_H_
