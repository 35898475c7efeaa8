// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of variables in PTX: parameters of kernels and workgroup memory.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_VARIABLES_H_
#define HALYARD_IMAGE_REFLECTION_PTX_VARIABLES_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "image/reflection/nvidia/ptx_lexer.h"

namespace halyard {

/// The tokens of a text, with one of them in view.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : lexer_(text), current_(lexer_.Next()) {}

  const PtxToken& Current() const { return current_; }
  bool IsAt(std::string_view text) const { return current_.Is(text); }
  bool IsAtEnd() const { return current_.kind == PtxTokenKind::kEnd; }
  void Advance() {
    taken_line_ = current_.line;
    current_ = lexer_.Next();
  }
  /// Where the last token stood that was gone past.
  uint32_t TakenLine() const { return taken_line_; }
  /// Goes past a token if it is that one.
  bool Accept(std::string_view text);

  /// The same, or a failure that says what was expected.
  Status Expect(std::string_view text);
  Status TakeWord(const char* what, std::string_view* out_word);
  /// A whole number that fits, decimal or hexadecimal.
  Status TakeNumber(const char* what, uint32_t* out_number);

  /// DATA_LOSS: "PTX, line 12: expected WHAT, found 'x'".
  Status Unexpected(const char* what) const;

 private:
  PtxLexer lexer_;
  PtxToken current_;
  uint32_t taken_line_ = 1;
};

/// `.type name[count]`, without its state space.
struct PtxVariable {
  std::string_view name;
  std::string_view type;    ///< ".u64"
  uint64_t size = 0;        ///< bytes; 0 for `name[]`
  uint32_t alignment = 1;   ///< bytes
  bool is_array = false;    ///< has brackets
  bool is_pointer = false;  ///< has .ptr
  std::string_view space;   ///< what .ptr points to: ".global"; empty if it does not say
};

/// Reads from behind the state space to behind the name and its brackets.
Status ReadPtxVariable(PtxTokens* tokens, PtxVariable* out_variable);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_VARIABLES_H_
