// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "msl/tokens.h"

#include <algorithm>

namespace halyard::msl_host {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// How far a number reaches: "1.5e-3f", "0x1p+4".
size_t NumberLength(std::string_view text) {
  size_t length = 1;
  for (; length < text.size(); ++length) {
    const char c = text[length];
    const char before = text[length - 1];
    const bool is_sign = (c == '+' || c == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_sign && (!is_hex || before == 'p' || before == 'P')) continue;
    if (!IsWordPart(c) && c != '.') break;
  }
  return length;
}

// How far a literal in quotes reaches: to the same quote, or to the end of the line.
size_t LiteralLength(std::string_view text) {
  size_t length = 1;
  for (; length < text.size() && text[length] != '\n'; ++length) {
    if (text[length] == '\\') {
      ++length;
    } else if (text[length] == text[0]) {
      return length + 1;
    }
  }
  return std::min(length, text.size());
}

Token ReadToken(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  const char c = rest[0];
  if (IsWordStart(c)) {
    const auto end = std::ranges::find_if_not(rest, IsWordPart);
    return {TokenKind::kWord, rest.substr(0, static_cast<size_t>(end - rest.begin())), at};
  }
  if (IsDigit(c) || (c == '.' && rest.size() > 1 && IsDigit(rest[1]))) {
    return {TokenKind::kNumber, rest.substr(0, NumberLength(rest)), at};
  }
  if (c == '"' || c == '\'') return {TokenKind::kLiteral, rest.substr(0, LiteralLength(rest)), at};
  const bool is_pair = rest.starts_with("::") || rest.starts_with("->");
  return {TokenKind::kSign, rest.substr(0, is_pair ? 2 : 1), at};
}

}  // namespace

Tokens::Tokens(std::string_view text) : text_(text) {
  bool at_line_start = true;
  for (size_t at = 0; at < text.size();) {
    if (IsSpace(text[at])) {
      at_line_start |= text[at++] == '\n';
    } else if (at_line_start && text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      tokens_.push_back(ReadToken(text, at));
      at = tokens_.back().end();
      at_line_start = false;
    }
  }
  end_.begin = text.size();
  Match();
}

void Tokens::Match() {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  closing_.assign(tokens_.size(), tokens_.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::kSign || tokens_[i].text.size() != 1) continue;
    const char c = tokens_[i].text[0];
    if (kOpening.find(c) != std::string_view::npos) open.push_back(i);
    const size_t kind = kClosing.find(c);
    if (kind == std::string_view::npos || open.empty()) continue;
    if (tokens_[open.back()].text[0] != kOpening[kind]) continue;
    closing_[open.back()] = i;
    open.pop_back();
  }
}

size_t Tokens::BehindAngles(size_t i) const {
  int depth = 0;
  for (size_t at = i; at < size(); ++at) {
    const Token& token = tokens_[at];
    if (token == ";" || token == "{") return i;
    if (token == "(" || token == "[") at = Closing(at);
    if (token == "<") ++depth;
    if (token == ">" && --depth == 0) return at + 1;
  }
  return i;
}

size_t Tokens::Find(size_t i, size_t end, std::string_view signs) const {
  for (; i < end; ++i) {
    const Token& token = (*this)[i];
    if (token.kind != TokenKind::kSign) continue;
    if (token.text.size() == 1 && signs.find(token.text[0]) != std::string_view::npos) return i;
    if (token == "(" || token == "[" || token == "{") i = Closing(i);
  }
  return end;
}

std::string Tokens::Text(size_t begin, size_t end) const {
  if (begin >= end) return {};
  return std::string(text_.substr((*this)[begin].begin, (*this)[end - 1].end() - (*this)[begin].begin));
}

}  // namespace halyard::msl_host
