// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/json.h"

#include <algorithm>
#include <limits>

#include "support/failure.h"
#include "support/input_file.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// Far more than any description takes.
constexpr size_t kMostBytes = size_t{64} << 20;

// Without "[json.exception.parse_error.101] parse error at ".
std::string PlainMessage(std::string_view what) {
  constexpr std::string_view kNoise = "parse error at ";
  const size_t noise = what.find(kNoise);
  return std::string(noise == std::string_view::npos ? what : what.substr(noise + kNoise.size()));
}

}  // namespace

std::string JsonText(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json ReadJsonFile(const std::string& path) {
  const std::string text = ReadTextFile(path, kMostBytes);
  try {
    return Json::parse(text, nullptr, /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    tools::Fail(ExitCode::kInput, "'", path, "' is no JSON: ", PlainMessage(error.what()));
  } catch (const Json::out_of_range& error) {  // a number that no double can hold
    const std::string_view message = error.what();
    tools::Fail(ExitCode::kInput, "'", path,
                "' has a number that is too large: ", message.substr(std::min(message.find('\''), message.size())));
  }
}

void JsonValue::Fail(const std::string& what) const {
  tools::Fail(ExitCode::kInput, place_.empty() ? "the document" : place_, " ", what);
}

void JsonValue::CheckObject() const {
  if (!value_->is_object()) Fail("must be an object, in braces");
}

std::string JsonValue::KeyPlace(std::string_view key) const {
  return place_ + (place_.empty() ? "" : ".") + std::string(key);
}

void JsonValue::AllowKeys(std::initializer_list<std::string_view> keys) const {
  CheckObject();
  for (const auto& member : value_->items()) {
    if (std::ranges::find(keys, std::string_view(member.key())) != keys.end()) continue;
    Fail(Concat("has the unknown key '", member.key(), "'; ",
                SuggestionText(member.key(), {keys.begin(), keys.size()})));
  }
}

bool JsonValue::Has(std::string_view key) const {
  CheckObject();
  return value_->contains(key);
}

JsonValue JsonValue::At(std::string_view key) const {
  if (!Has(key)) Fail(Concat("lacks the key '", key, "'"));
  return {value_->at(std::string(key)), KeyPlace(key)};
}

std::vector<JsonValue> JsonValue::Array() const {
  if (!value_->is_array()) Fail("must be an array, in brackets");
  std::vector<JsonValue> values;
  for (const Json& value : *value_) values.emplace_back(value, Concat(place_, "[", values.size(), "]"));
  return values;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::Members() const {
  CheckObject();
  std::vector<std::pair<std::string, JsonValue>> members;
  for (const auto& member : value_->items())
    members.emplace_back(member.key(), JsonValue(member.value(), KeyPlace(member.key())));
  return members;
}

std::string JsonValue::Text() const {
  if (!value_->is_string()) Fail("must be a string, in quotes");
  return value_->get<std::string>();
}

std::string JsonValue::Scalar() const {
  if (value_->is_boolean()) return value_->get<bool>() ? "1" : "0";
  if (value_->is_number()) return value_->dump();
  return Text();
}

bool JsonValue::Bool() const {
  if (!value_->is_boolean()) Fail("must be true or false");
  return value_->get<bool>();
}

size_t JsonValue::Choice(std::span<const std::string_view> names) const {
  const std::string name = Text();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) Fail(Concat("is '", name, "'; ", SuggestionText(name, names)));
  return static_cast<size_t>(found - names.begin());
}

uint32_t JsonValue::Uint32() const {
  const bool fits = value_->is_number_unsigned() && value_->get<uint64_t>() <= std::numeric_limits<uint32_t>::max();
  if (!fits) Fail("must be a whole number from 0 to 4294967295");
  return value_->get<uint32_t>();
}

}  // namespace halyard::tools
