// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text as a sequence of tokens.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_LEXER_H_
#define HALYARD_IMAGE_REFLECTION_PTX_LEXER_H_

#include <cstdint>
#include <string_view>

#include "base/text/byte_order_mark.h"

namespace halyard {

enum class PtxTokenKind {
  kEnd,
  kWord,         // ".entry", "saxpy", "%rd1", "ld.param.u64"; a directive ends at the next dot
  kNumber,       // "64", "0x40", "8.5"
  kString,       // without its quotes
  kPunctuation,  // one character
  kBad,          // what is wrong, as a message
};

struct PtxToken {
  PtxTokenKind kind = PtxTokenKind::kEnd;
  std::string_view text;
  uint32_t line = 1;

  bool Is(std::string_view other) const {
    return (kind == PtxTokenKind::kWord || kind == PtxTokenKind::kPunctuation) && text == other;
  }
};

/// Ends at the end of the text, or at a zero byte. Begins behind a byte order mark.
class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(WithoutByteOrderMark(text.substr(0, text.find('\0')))) {}

  PtxToken Next();

 private:
  bool SkipBlanks();  // false if a comment is not closed
  PtxToken Take(PtxTokenKind kind, size_t size);
  PtxToken TakeString();
  size_t WordSize() const;

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_LEXER_H_
