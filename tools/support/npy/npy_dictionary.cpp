// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <string>

#include "support/failure.h"
#include "support/npy/npy_header.h"

namespace halyard::tools {
namespace {

// NumPy itself stops at 64 dimensions.
constexpr size_t kMaxRank = 64;

// Reads Python literals from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // Takes `token` if it comes next, after blanks.
  bool Take(std::string_view token) {
    SkipBlanks();
    if (!text_.substr(place_).starts_with(token)) return false;
    place_ += token.size();
    return true;
  }

  void Expect(std::string_view token) {
    if (!Take(token)) FailHere(Concat("expected '", token, "'"));
  }

  bool AtEnd() {
    SkipBlanks();
    return place_ == text_.size();
  }

  // A string in either kind of quotes.
  std::string_view String() {
    SkipBlanks();
    const char quote = place_ < text_.size() ? text_[place_] : '\0';
    if (quote != '\'' && quote != '"') FailHere("expected a string");
    const size_t begin = place_ + 1;
    const size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) FailHere("a string does not end");
    place_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  bool Boolean() {
    if (Take("True")) return true;
    if (Take("False")) return false;
    FailHere("expected True or False");
  }

  // A number of elements. Python 2 wrote some as "3L".
  int64_t Size() {
    SkipBlanks();
    int64_t size = 0;
    const char* const begin = text_.data() + place_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
    if (error == std::errc::result_out_of_range) FailHere("a size in 'shape' is past 2^63");
    if (error != std::errc()) FailHere("expected a number");
    if (size < 0) FailHere("a size in 'shape' is negative");
    place_ += static_cast<size_t>(end - begin);
    Take("L");
    return size;
  }

  [[noreturn]] void FailHere(const std::string& what) const {
    Fail(ExitCode::kInput, "its header is malformed at byte ", place_, " of the dictionary: ", what);
  }

 private:
  void SkipBlanks() {
    while (place_ < text_.size() && std::string_view(" \t\r\n").find(text_[place_]) != std::string_view::npos) ++place_;
  }

  std::string_view text_;
  size_t place_ = 0;
};

// "(3, 4)", "(3,)", "()".
std::vector<int64_t> ParseShape(Parser& parser) {
  std::vector<int64_t> shape;
  parser.Expect("(");
  while (!parser.Take(")")) {
    if (shape.size() == kMaxRank) parser.FailHere(Concat("'shape' has more than ", kMaxRank, " dimensions"));
    shape.push_back(parser.Size());
    if (parser.Take(",")) continue;
    // "(3)" is a number in Python, not a tuple.
    if (shape.size() == 1) parser.FailHere("expected ','");
    parser.Expect(")");
    break;
  }
  return shape;
}

NpyDtype ParseDescr(Parser& parser) {
  if (parser.Take("[") || parser.Take("(")) {
    Fail(ExitCode::kInput,
         "its dtype is a record of several fields, which is not supported; save each field on its own");
  }
  return ParseNpyDtype(parser.String());
}

// Which of the three keys were seen.
struct Seen {
  bool descr = false;
  bool fortran_order = false;
  bool shape = false;
};

void SeeOnce(Parser& parser, bool* seen, std::string_view key) {
  if (*seen) parser.FailHere(Concat("the key '", key, "' is there twice"));
  *seen = true;
}

void ParseEntry(Parser& parser, Seen* seen, NpyHeaderInfo* info) {
  const std::string_view key = parser.String();
  parser.Expect(":");
  if (key == "descr") {
    SeeOnce(parser, &seen->descr, key);
    info->dtype = ParseDescr(parser);
  } else if (key == "fortran_order") {
    SeeOnce(parser, &seen->fortran_order, key);
    info->fortran_order = parser.Boolean();
  } else if (key == "shape") {
    SeeOnce(parser, &seen->shape, key);
    info->shape = ParseShape(parser);
  } else {
    parser.FailHere("a key is none of 'descr', 'fortran_order' and 'shape'");
  }
}

}  // namespace

NpyHeaderInfo ParseNpyDictionary(std::string_view text) {
  NpyHeaderInfo info;
  Seen seen;
  Parser parser(text);
  parser.Expect("{");
  while (!parser.Take("}")) {
    ParseEntry(parser, &seen, &info);
    if (parser.Take(",")) continue;
    parser.Expect("}");
    break;
  }
  if (!parser.AtEnd()) parser.FailHere("something follows after the dictionary");
  if (!seen.descr) parser.FailHere("the key 'descr' is missing");
  if (!seen.fortran_order) parser.FailHere("the key 'fortran_order' is missing");
  if (!seen.shape) parser.FailHere("the key 'shape' is missing");
  return info;
}

}  // namespace halyard::tools
