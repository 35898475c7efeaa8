// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/devices/json.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace halyard::cts {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonValue ParseText() {
    JsonValue value = ParseValue();
    SkipBlanks();
    if (position_ != text_.size()) Fail("the end of the text");
    return value;
  }

 private:
  [[noreturn]] void Fail(const std::string& expected) const {
    throw std::runtime_error("JSON: expected " + expected + " at byte " + std::to_string(position_));
  }
  char Peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool Take(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  void Expect(std::string_view word) {
    if (!Take(word)) Fail("'" + std::string(word) + "'");
  }
  void SkipBlanks() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(Peek()) != std::string_view::npos) ++position_;
  }

  JsonValue ParseValue() {
    SkipBlanks();
    if (Peek() == '{') return {ParseObject()};
    if (Peek() == '[') return {ParseArray()};
    if (Peek() == '"') return {ParseString()};
    if (Take("true")) return {true};
    if (Take("false")) return {false};
    if (Take("null")) return {nullptr};
    return {ParseNumber()};
  }

  JsonObject ParseObject() {
    JsonObject object;
    Expect("{");
    SkipBlanks();
    if (Take("}")) return object;
    do {
      SkipBlanks();
      std::string key = ParseString();
      SkipBlanks();
      Expect(":");
      object[std::move(key)] = ParseValue();
      SkipBlanks();
    } while (Take(","));
    Expect("}");
    return object;
  }

  JsonArray ParseArray() {
    JsonArray array;
    Expect("[");
    SkipBlanks();
    if (Take("]")) return array;
    do {
      array.push_back(ParseValue());
      SkipBlanks();
    } while (Take(","));
    Expect("]");
    return array;
  }

  std::string ParseString() {
    std::string string;
    Expect("\"");
    while (!Take("\"")) {
      if (position_ == text_.size() || static_cast<unsigned char>(Peek()) < 0x20) Fail("a character of a string");
      if (Take("\\")) {
        string += ParseEscape();
      } else {
        string += text_[position_++];
      }
    }
    return string;
  }

  char ParseEscape() {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const size_t index = kEscapes.find(Peek());
    if (Peek() != '\0' && index != std::string_view::npos) {
      ++position_;
      return kMeanings[index];
    }
    Expect("u");
    const std::string digits(text_.substr(position_, 4));
    if (digits.size() != 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) Fail("4 digits");
    position_ += 4;
    return static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));  // enough for the control characters
  }

  void TakeDigits() {
    const size_t begin = position_;
    while (Peek() >= '0' && Peek() <= '9') ++position_;
    if (position_ == begin) Fail("a digit");
  }

  double ParseNumber() {
    const size_t begin = position_;
    Take("-");
    if (!Take("0")) TakeDigits();
    if (Take(".")) TakeDigits();
    if (Take("e") || Take("E")) {
      if (!Take("+")) Take("-");
      TakeDigits();
    }
    return std::strtod(std::string(text_.substr(begin, position_ - begin)).c_str(), nullptr);
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

const JsonValue& JsonValue::operator[](const std::string& key) const {
  static const JsonValue null{nullptr};
  const auto* object = std::get_if<JsonObject>(&value);
  if (!object) return null;
  const auto found = object->find(key);
  return found == object->end() ? null : found->second;
}

JsonValue ParseJson(std::string_view text) { return Parser(text).ParseText(); }

}  // namespace halyard::cts
