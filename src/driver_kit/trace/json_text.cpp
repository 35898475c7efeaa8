// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/json_text.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace halyard {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned Byte(std::string_view text, size_t index) { return static_cast<unsigned char>(text[index]); }

/// Whether the second byte of a sequence may follow the first: rules out overlong forms, surrogates and what is beyond
/// U+10FFFF.
bool MayFollow(unsigned lead, unsigned second) {
  const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= lowest && second <= highest;
}

/// The length of the UTF-8 sequence of several bytes that `text` begins with; 0 if there is none.
size_t SequenceLength(std::string_view text) {
  const unsigned lead = Byte(text, 0);
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < length || !MayFollow(lead, Byte(text, 1))) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((Byte(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void AppendAscii(char c, HostString* out) {
  if (c == '"' || c == '\\') {
    out->push_back('\\');
    out->push_back(c);
  } else if (static_cast<unsigned char>(c) >= 0x20) {
    out->push_back(c);
  } else {
    std::array<char, 8> escape;
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
    out->append(escape.data());
  }
}

}  // namespace

void AppendJsonString(std::string_view text, HostString* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t taken = 1;
    if (Byte(text, 0) < 0x80) {
      AppendAscii(text[0], out);
    } else if (const size_t length = SequenceLength(text); length > 0) {
      out->append(text.substr(0, length));
      taken = length;
    } else {
      out->append(kReplacement);
    }
    text.remove_prefix(taken);
  }
  out->push_back('"');
}

void AppendJsonMicroseconds(uint64_t nanoseconds, HostString* out) {
  std::array<char, 32> number;
  std::snprintf(number.data(), number.size(), "%" PRIu64 ".%03" PRIu64, nanoseconds / 1000, nanoseconds % 1000);
  out->append(number.data());
}

}  // namespace halyard
