// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/text.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "base/text/suggestions.h"

namespace halyard::tools {
namespace {

std::string Scaled(double value, const char* unit) {
  std::array<char, 48> text;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
  return text.data();
}

}  // namespace

std::string BytesText(uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (10 * (unit + 2)) != 0) ++unit;
  const uint64_t scale = uint64_t{1} << (10 * (unit + 1));
  if (bytes % scale == 0) return std::to_string(bytes / scale) + " " + kUnits[unit];
  return Scaled(static_cast<double>(bytes) / static_cast<double>(scale), kUnits[unit]);
}

std::string DurationText(double nanoseconds) {
  if (nanoseconds < 999.5) return Scaled(nanoseconds, "ns");
  if (nanoseconds < 999.5e3) return Scaled(nanoseconds / 1e3, "us");
  if (nanoseconds < 999.5e6) return Scaled(nanoseconds / 1e6, "ms");
  return Scaled(nanoseconds / 1e9, "s");
}

std::string JoinText(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::vector<std::string_view> SplitText(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::string Padded(std::string_view text, size_t width) {
  std::string padded(text);
  if (padded.size() < width) padded.resize(width, ' ');
  return padded;
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string SuggestionText(std::string_view wrong, std::span<const std::string_view> known) {
  return std::string(halyard::SuggestionText(wrong, known));
}

}  // namespace halyard::tools
