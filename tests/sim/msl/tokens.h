// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tokens of a preprocessed text.
#ifndef HALYARD_SIM_MSL_TOKENS_H_
#define HALYARD_SIM_MSL_TOKENS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::msl_host {

enum class TokenKind { kWord, kNumber, kLiteral, kSign, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  size_t begin = 0;  // in the text

  bool operator==(std::string_view other) const { return text == other; }
  size_t end() const { return begin + text.size(); }
};

// The tokens of a text, without the lines that begin with '#'. Signs are single characters, except "::" and "->".
class Tokens {
 public:
  explicit Tokens(std::string_view text);

  size_t size() const { return tokens_.size(); }
  // A token, or an empty one where there is none.
  const Token& operator[](size_t i) const { return i < tokens_.size() ? tokens_[i] : end_; }
  // The place of the bracket that closes the one at `i`, or size() if none does. Of ( [ { alone.
  size_t Closing(size_t i) const { return i < tokens_.size() ? closing_[i] : tokens_.size(); }
  // The place behind the '>' that closes the '<' at `i`, or `i` if none does in this statement.
  size_t BehindAngles(size_t i) const;
  // The first place from `i` on, before `end`, of one of the signs, outside brackets; `end` if there is none.
  size_t Find(size_t i, size_t end, std::string_view signs) const;
  // The text from the token at `begin` to the one before `end`.
  std::string Text(size_t begin, size_t end) const;

 private:
  void Match();

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<size_t> closing_;
  Token end_;
};

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_TOKENS_H_
