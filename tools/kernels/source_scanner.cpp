// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source_scanner.h"

#include <algorithm>

namespace halyard::tools {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordBegin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordPart(char c) { return IsWordBegin(c) || IsDigit(c); }

// The length of a string or character in quotes, up to the end of its line if it does not end.
size_t QuotedLength(std::string_view text) {
  size_t end = 1;
  while (end < text.size() && text[end] != text[0] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

size_t TokenLength(std::string_view text) {
  if (text[0] == '"' || text[0] == '\'') return QuotedLength(text);
  if (!IsWordPart(text[0])) return 1;
  return static_cast<size_t>(std::ranges::find_if_not(text, IsWordPart) - text.begin());
}

}  // namespace

bool Token::IsWord() const { return !text.empty() && IsWordBegin(text[0]); }
bool Token::IsNumber() const { return !text.empty() && IsDigit(text[0]); }

Token SourceScanner::Next() {
  while (PassBlanks() || PassComment() || PassDirective()) {
  }
  const std::string_view rest = text_.substr(position_);
  if (rest.empty()) return {rest, position_, line_};
  const Token token = {rest.substr(0, TokenLength(rest)), position_, line_};
  PassOver(position_ + token.text.size());
  at_line_begin_ = false;
  return token;
}

void SourceScanner::PassOver(size_t end) {
  end = std::min(end, text_.size());
  line_ += static_cast<size_t>(std::ranges::count(text_.substr(position_, end - position_), '\n'));
  position_ = end;
}

bool SourceScanner::PassBlanks() {
  const size_t end = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
  if (end == position_) return false;
  if (text_.substr(position_, end - position_).find('\n') != std::string_view::npos) at_line_begin_ = true;
  PassOver(end);
  return true;
}

bool SourceScanner::PassComment() {
  const std::string_view rest = text_.substr(position_);
  if (rest.starts_with("//")) {
    PassOver(text_.find('\n', position_));
    return true;
  }
  if (!rest.starts_with("/*")) return false;
  const size_t end = text_.find("*/", position_ + 2);
  if (end == std::string_view::npos) Fail({rest, position_, line_}, "this comment does not end");
  PassOver(end + 2);
  return true;
}

// A line that begins with #, and those that a backslash appends to it.
bool SourceScanner::PassDirective() {
  if (!at_line_begin_ || position_ >= text_.size() || text_[position_] != '#') return false;
  size_t end = text_.find('\n', position_);
  while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
  PassOver(end);
  return true;
}

}  // namespace halyard::tools
