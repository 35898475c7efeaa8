// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mangled name, letter by letter.
#ifndef HALYARD_IMAGE_REFLECTION_MANGLED_TEXT_H_
#define HALYARD_IMAGE_REFLECTION_MANGLED_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace halyard {

/// For a reader to derive from.
class MangledText {
 protected:
  explicit MangledText(std::string_view text) : text_(text) {}

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

  bool IsAtEnd() const { return at_ >= text_.size(); }
  char Look(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool Accept(char c) {
    if (IsAtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Accept(std::string_view word) {
    if (!text_.substr(std::min(at_, text_.size())).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool AcceptAny(std::string_view letters) {
    if (IsAtEnd() || letters.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  std::optional<size_t> ReadNumber() {
    if (!IsDigit(Look())) return std::nullopt;
    size_t number = 0;
    for (; IsDigit(Look()); ++at_) number = std::min<size_t>(number * 10 + static_cast<size_t>(Look() - '0'), 1u << 30);
    return number;
  }
  /// "_", "0_", "1A_": 0, 1 and so on, in a base.
  std::optional<size_t> ReadSequence(size_t base) {
    if (Accept('_')) return 0;
    size_t number = 0;
    for (; !Accept('_'); ++at_) {
      const char c = Look();
      const bool is_letter = c >= 'A' && c <= 'Z' && base == 36;
      if (!IsDigit(c) && !is_letter) return std::nullopt;
      number = std::min<size_t>(number * base + static_cast<size_t>(is_letter ? c - 'A' + 10 : c - '0'), 1u << 30);
    }
    return number + 1;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_MANGLED_TEXT_H_
