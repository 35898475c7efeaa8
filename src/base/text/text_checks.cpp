// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/text_checks.h"

#include <algorithm>
#include <cstdint>

namespace halyard {
namespace {

constexpr bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// How many bytes a character has by its first byte; 0 if none begins so.
constexpr size_t LengthByFirst(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;  // a continuation, or a longer spelling of ASCII
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return first < 0xF5 ? 4 : 0;
}

/// Whether the first two bytes rule out longer spellings, surrogates and what lies past U+10FFFF.
constexpr bool SecondFits(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second < 0xA0;
  if (first == 0xF0) return second >= 0x90;
  if (first == 0xF4) return second < 0x90;
  return true;
}

/// The length of the UTF-8 character at the start of a text that is not empty; 0 if it is malformed.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = LengthByFirst(byte(0));
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(byte(i))) return 0;
  }
  return length < 2 || SecondFits(byte(0), byte(1)) ? length : 0;
}

/// ASCII's control characters, and U+0080 to U+009F, which terminals obey as well.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

bool IsTokenCharacter(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("-._+:").find(c) != std::string_view::npos;
}

Status CheckSize(hal_status_t bad, const char* field, std::string_view text, size_t most) {
  if (text.empty()) return Fail(bad, "%s: is empty", field);
  if (text.size() <= most) return kOk;
  return Fail(bad, "%s: has %zu bytes; at most %zu are possible", field, text.size(), most);
}

}  // namespace

Status CheckText(hal_status_t bad, const char* field, std::string_view text, size_t most) {
  HAL_TRY(CheckSize(bad, field, text, most));
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text.substr(i));
    const unsigned byte = static_cast<unsigned char>(text[i]);
    if (length == 0) return Fail(bad, "%s: byte 0x%02x at %zu is not UTF-8", field, byte, i);
    if (IsControl(text.substr(i, length))) return Fail(bad, "%s: there is a control character at byte %zu", field, i);
    i += length;
  }
  return kOk;
}

Status CheckToken(hal_status_t bad, const char* field, std::string_view text, size_t most) {
  HAL_TRY(CheckSize(bad, field, text, most));
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsTokenCharacter(text[i])) continue;
    return Fail(bad, "%s: byte 0x%02x at %zu is no letter, digit or one of -._+:", field,
                static_cast<unsigned>(static_cast<unsigned char>(text[i])), i);
  }
  return kOk;
}

bool IsReadable(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  for (;;) {
    const auto other = std::find_if_not(text.begin(), text.end(), is_plain);
    if (other == text.end()) return true;
    text.remove_prefix(static_cast<size_t>(other - text.begin()));
    const size_t length = CharacterLength(text);
    if (length == 0 || IsControl(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
}

HostString ReadableText(std::string_view text, size_t most) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
  HostString readable;
  readable.reserve(std::min(text.size(), most));
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    std::string_view character = length == 0 ? kReplacement : text.substr(0, length);
    if (length > 0 && IsControl(character)) character = " ";
    if (character.size() > most - readable.size()) break;
    readable.append(character);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return readable;
}

}  // namespace halyard
