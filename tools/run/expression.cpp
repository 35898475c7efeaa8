// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expression.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr int kMostNesting = 64;

using Operation = bool (*)(int64_t a, int64_t b, int64_t* result);  // false if there is no result

bool Add(int64_t a, int64_t b, int64_t* result) { return !__builtin_add_overflow(a, b, result); }
bool Subtract(int64_t a, int64_t b, int64_t* result) { return !__builtin_sub_overflow(a, b, result); }
bool Multiply(int64_t a, int64_t b, int64_t* result) { return !__builtin_mul_overflow(a, b, result); }

bool CanDivide(int64_t a, int64_t b) { return b != 0 && !(a == INT64_MIN && b == -1); }

bool Divide(int64_t a, int64_t b, int64_t* result) {
  if (!CanDivide(a, b)) return false;
  *result = a / b;
  return true;
}

bool Remainder(int64_t a, int64_t b, int64_t* result) {
  if (!CanDivide(a, b)) return false;
  *result = a % b;
  return true;
}

bool DivideUp(int64_t a, int64_t b, int64_t* result) {
  if (!CanDivide(a, b)) return false;
  *result = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  return true;
}

bool Least(int64_t a, int64_t b, int64_t* result) {
  *result = std::min(a, b);
  return true;
}

bool Most(int64_t a, int64_t b, int64_t* result) {
  *result = std::max(a, b);
  return true;
}

struct NamedOperation {
  std::string_view name;
  Operation run;
};
constexpr NamedOperation kFunctions[] = {{"cdiv", DivideUp}, {"min", Least}, {"max", Most}};
constexpr NamedOperation kSums[] = {{"+", Add}, {"-", Subtract}};
constexpr NamedOperation kProducts[] = {{"*", Multiply}, {"/", Divide}, {"%", Remainder}};

class Reader {
 public:
  Reader(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

  int64_t ReadAll() {
    const int64_t value = ReadSum();
    if (at_ != text_.size()) FailAt("an operator is missing");
    return value;
  }

 private:
  int64_t ReadSum() { return ReadChain(kSums, &Reader::ReadProduct); }
  int64_t ReadProduct() { return ReadChain(kProducts, &Reader::ReadValue); }

  template <size_t kCount>
  int64_t ReadChain(const NamedOperation (&operations)[kCount], int64_t (Reader::*read)()) {
    int64_t value = (this->*read)();
    while (const Operation operation = TakeOperator(operations)) value = Run(operation, value, (this->*read)());
    return value;
  }

  int64_t ReadValue() {
    if (++nesting_ > kMostNesting) FailAt("there are too many parentheses");
    const int64_t value = ReadUnnested();
    --nesting_;
    return value;
  }

  int64_t ReadUnnested() {
    if (Take('-')) return Run(Subtract, 0, ReadValue());
    if (Take('(')) {
      const int64_t value = ReadSum();
      Expect(')');
      return value;
    }
    const std::string_view word = TakeWord();
    if (word.empty()) FailAt("a number or name is missing");
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return ToNumber(word);
    if (Take('(')) return ReadCall(word);
    const auto variable = variables_.find(word);
    if (variable != variables_.end()) return variable->second;
    FailAt(Concat("'", word, "' is not given as a number (", word, "=…)"));
  }

  int64_t ReadCall(std::string_view name) {
    const auto* const function = std::ranges::find(kFunctions, name, &NamedOperation::name);
    if (function == std::end(kFunctions)) FailAt(Concat("'", name, "' is no function; there are cdiv, min and max"));
    const int64_t first = ReadSum();
    Expect(',');
    const int64_t second = ReadSum();
    Expect(')');
    return Run(function->run, first, second);
  }

  int64_t Run(Operation operation, int64_t a, int64_t b) const {
    int64_t result = 0;
    if (!operation(a, b, &result)) FailAt("it divides by 0 or exceeds 64 bits");
    return result;
  }

  int64_t ToNumber(std::string_view word) const {
    const std::optional<uint64_t> number = ParseUint(word);
    if (!number || *number > static_cast<uint64_t>(INT64_MAX)) FailAt(Concat("'", word, "' is no number"));
    return static_cast<int64_t>(*number);
  }

  template <size_t kCount>
  Operation TakeOperator(const NamedOperation (&operations)[kCount]) {
    for (const NamedOperation& operation : operations) {
      if (Take(operation.name[0])) return operation.run;
    }
    return nullptr;
  }

  std::string_view TakeWord() {
    SkipSpaces();
    const size_t begin = at_;
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
    while (at_ < text_.size() && is_part(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    SkipSpaces();
    return word;
  }

  bool Take(char c) {
    SkipSpaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    SkipSpaces();
    return true;
  }

  void Expect(char c) {
    if (!Take(c)) FailAt(Concat("'", std::string(1, c), "' is missing"));
  }

  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  [[noreturn]] void FailAt(const std::string& what) const {
    Fail(ExitCode::kUsage, "'", text_, "', character ", at_ + 1, ": ", what);
  }

  std::string_view text_;
  const Variables& variables_;
  size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

int64_t Evaluate(std::string_view text, const Variables& variables) { return Reader(text, variables).ReadAll(); }

std::vector<std::string_view> SplitExpressions(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace halyard::tools
