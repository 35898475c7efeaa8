// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/mlir_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "support/failure.h"

namespace halyard::tools {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '-';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

void MlirReader::SkipSpace() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool MlirReader::AtEnd() {
  SkipSpace();
  return at_ == text_.size();
}

bool MlirReader::Sees(std::string_view text) {
  SkipSpace();
  return text_.substr(at_, text.size()) == text;
}

bool MlirReader::Take(std::string_view text) {
  if (!Sees(text)) return false;
  at_ += text.size();
  return true;
}

void MlirReader::Expect(std::string_view text) {
  if (Take(text)) return;
  const std::string_view rest = text_.substr(at_, 24);
  Fail("expected '" + std::string(text) + "', found '" + std::string(rest.substr(0, rest.find('\n'))) + "'");
}

std::string_view MlirReader::Word() {
  SkipSpace();
  const size_t begin = at_;
  // "->" is no part of a word, though "-" may be.
  while (at_ < text_.size() && IsWordCharacter(text_[at_]) && text_.substr(at_, 2) != "->") ++at_;
  return text_.substr(begin, at_ - begin);
}

bool MlirReader::TakeNumber(int64_t* out) {
  SkipSpace();
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), *out);
  if (error != std::errc()) return false;
  at_ += static_cast<size_t>(end - begin);
  return true;
}

std::string MlirReader::String() {
  Expect("\"");
  std::string contents;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\' || at_ + 2 >= text_.size()) {
      contents += text_[at_++];
      continue;
    }
    const int high = HexDigit(text_[at_ + 1]);
    const int low = HexDigit(text_[at_ + 2]);
    if (high >= 0 && low >= 0) {
      contents += static_cast<char>(16 * high + low);
      at_ += 3;
    } else {
      contents += text_[at_ + 1];
      at_ += 2;
    }
  }
  if (at_ == text_.size()) Fail("a string has no end");
  ++at_;
  return contents;
}

void MlirReader::Skip() {
  if (Sees("\"")) {
    String();
  } else if (at_ < text_.size()) {
    ++at_;
  }
}

void MlirReader::SkipGroup() {
  std::string closing;  // what the open brackets wait for, the innermost last
  do {
    if (AtEnd()) Fail(closing.empty() ? "the text ends too early" : "a bracket is not closed");
    const char c = text_[at_];
    if (c == '(' || c == '[' || c == '{') closing += c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c == ')' || c == ']' || c == '}') {
      if (closing.empty() || closing.back() != c) Fail(std::string("unexpected '") + c + "'");
      closing.pop_back();
    }
    Skip();
  } while (!closing.empty());
}

std::string_view MlirReader::Balanced() {
  SkipSpace();
  const size_t begin = at_;
  int depth = 0;
  while (!AtEnd()) {
    // Neither arrows nor comparisons, as in affine_set<(d0) : (d0 >= 0)>, are brackets.
    if (Take("->") || Take(">=")) continue;
    const char c = text_[at_];
    if (depth == 0 && (c == ',' || c == ')' || c == ']' || c == '}' || c == '>')) break;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    Skip();
  }
  return text_.substr(begin, at_ - begin);
}

size_t MlirReader::Line() const {
  return 1 + static_cast<size_t>(std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at_), '\n'));
}

void MlirReader::Fail(std::string_view what) {
  tools::Fail(ExitCode::kInput, tells_lines_ ? Concat("line ", Line(), ": ") : "", what);
}

void ReadMlirAttributes(MlirReader* reader, MlirAttributes* attributes) {
  while (!reader->Take("}")) {
    std::string name(reader->Sees("\"") ? reader->String() : std::string(reader->Word()));
    if (name.empty()) reader->Fail("expected the name of an attribute");
    (*attributes)[name] = reader->Take("=") ? std::string(reader->Balanced()) : std::string();
    if (!reader->Take(",") && !reader->Sees("}")) reader->Fail("expected ',' or '}' after the attribute " + name);
  }
}

}  // namespace halyard::tools
