// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_lexer.h"

#include <algorithm>

namespace halyard {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWordStart(char c) { return IsLetter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '$' || c == '%'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

uint32_t LinesIn(std::string_view text) { return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

PtxToken PtxLexer::Next() {
  if (!SkipBlanks()) {
    at_ = text_.size();
    return {PtxTokenKind::kBad, "a comment has no end", line_};
  }
  if (at_ == text_.size()) return {PtxTokenKind::kEnd, "the end of the text", line_};
  const char c = text_[at_];
  if (c == '"') return TakeString();
  if (IsDigit(c)) return Take(PtxTokenKind::kNumber, WordSize());
  if (IsWordStart(c)) return Take(PtxTokenKind::kWord, WordSize());
  return Take(PtxTokenKind::kPunctuation, 1);
}

bool PtxLexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    size_t size = 0;
    if (IsBlank(rest[0])) {
      size = 1;
    } else if (rest.starts_with("//") || rest[0] == '#') {  // of a preprocessor, whose lines PTX leaves alone
      size = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      if (end == std::string_view::npos) return false;
      size = end + 2;
    } else {
      return true;
    }
    line_ += LinesIn(rest.substr(0, size));
    at_ += size;
  }
  return true;
}

// A directive (".param.u64") ends at its second dot; instructions ("ld.shared::cta.u64") and numbers ("8.5") go on.
size_t PtxLexer::WordSize() const {
  const bool is_directive = text_[at_] == '.';
  size_t end = at_ + 1;
  while (end < text_.size()) {
    const std::string_view rest = text_.substr(end);
    if (IsWordPart(rest[0]) || (rest[0] == '.' && !is_directive)) {
      ++end;
    } else if (rest.starts_with("::") && rest.size() > 2 && IsLetter(rest[2]) && !is_directive) {
      end += 2;
    } else {
      break;
    }
  }
  return end - at_;
}

PtxToken PtxLexer::Take(PtxTokenKind kind, size_t size) {
  const PtxToken token = {kind, text_.substr(at_, size), line_};
  at_ += size;
  return token;
}

PtxToken PtxLexer::TakeString() {
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') {
    at_ = text_.size();
    return {PtxTokenKind::kBad, "a string has no end", line_};
  }
  const PtxToken token = {PtxTokenKind::kString, text_.substr(at_ + 1, end - at_ - 1), line_};
  at_ = end + 1;
  return token;
}

}  // namespace halyard
