// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <optional>
#include <utility>

#include "base/text/suggestions.h"

namespace halyard {
namespace {

// The digits that `text` begins with, which are removed from it; nothing if there are none or too many.
std::optional<uint64_t> TakeNumber(std::string_view& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return number;
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  const std::optional<uint64_t> number = TakeNumber(text);
  return text.empty() ? number : std::nullopt;
}

std::optional<uint64_t> ParseBytes(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, int>, 6> kUnits = {
      {{"", 0}, {"B", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}};
  const std::optional<uint64_t> number = TakeNumber(text);
  const auto* const unit = std::ranges::find(kUnits, text, &std::pair<std::string_view, int>::first);
  if (!number || unit == kUnits.end() || *number > (UINT64_MAX >> unit->second)) return std::nullopt;
  return *number << unit->second;
}

std::optional<bool> ParseBool(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kTrue = {"true", "on", "yes", "1"};
  static constexpr std::array<std::string_view, 4> kFalse = {"false", "off", "no", "0"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

}  // namespace

const hal_key_value_t* Options::Find(std::string_view key) {
  known_keys_.push_back(key);
  const hal_key_value_t* found = nullptr;
  for (const hal_key_value_t& pair : pairs_) {
    if (View(pair.key) == key) found = &pair;
  }
  return found;
}

Status Options::Uint(std::string_view key, uint64_t min, uint64_t max, uint64_t* value) {
  const hal_key_value_t* const pair = Find(key);
  if (!pair) return kOk;
  const std::string_view text = View(pair->value);
  const std::optional<uint64_t> number = ParseNumber(text);
  if (!number || *number < min || *number > max) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "parameter '%.*s' is '%.*s'; expected a number from %" PRIu64 " to %" PRIu64, HALYARD_SV(key),
                HALYARD_SV(text), min, max);
  }
  *value = *number;
  return kOk;
}

Status Options::Bytes(std::string_view key, uint64_t* value) {
  const hal_key_value_t* const pair = Find(key);
  if (!pair) return kOk;
  const std::string_view text = View(pair->value);
  const std::optional<uint64_t> bytes = ParseBytes(text);
  if (!bytes) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "parameter '%.*s' is '%.*s'; expected a number of bytes such as 4096, 64KiB, 64MiB or 2GiB",
                HALYARD_SV(key), HALYARD_SV(text));
  }
  *value = *bytes;
  return kOk;
}

Status Options::Bool(std::string_view key, bool* value) {
  const hal_key_value_t* const pair = Find(key);
  if (!pair) return kOk;
  const std::string_view text = View(pair->value);
  const std::optional<bool> parsed = ParseBool(text);
  if (!parsed) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter '%.*s' is '%.*s'; expected true or false", HALYARD_SV(key),
                HALYARD_SV(text));
  }
  *value = *parsed;
  return kOk;
}

Status Options::Word(std::string_view key, std::span<const std::string_view> words, size_t* index) {
  const hal_key_value_t* const pair = Find(key);
  if (!pair) return kOk;
  const std::string_view text = View(pair->value);
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter '%.*s' cannot be '%.*s'; %s", HALYARD_SV(key), HALYARD_SV(text),
                SuggestionText(text, words).c_str());
  }
  *index = static_cast<size_t>(found - words.begin());
  return kOk;
}

Status Options::Text(std::string_view key, std::string_view* value) {
  if (const hal_key_value_t* const pair = Find(key)) *value = View(pair->value);
  return kOk;
}

Status Options::Finish(std::string_view what) {
  for (const hal_key_value_t& pair : pairs_) {
    const std::string_view key = View(pair.key);
    if (std::ranges::find(known_keys_, key) != known_keys_.end()) continue;
    if (known_keys_.empty()) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%.*s takes no parameters, but was given '%.*s'", HALYARD_SV(what),
                  HALYARD_SV(key));
    }
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%.*s has no parameter '%.*s'; %s", HALYARD_SV(what), HALYARD_SV(key),
                SuggestionText(key, known_keys_).c_str());
  }
  return kOk;
}

}  // namespace halyard
