// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// Takes "N=" off the front of `text`, if it is there.
std::optional<uint32_t> TakeBinding(std::string_view* text) {
  const size_t equals = text->find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text->substr(0, equals);
  if (!std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); })) return std::nullopt;
  const std::optional<uint64_t> number = ParseUint(digits);
  if (!number || *number > std::numeric_limits<uint32_t>::max()) {
    Fail(ExitCode::kUsage, "'", digits, "' in '", *text, "' is no number of a binding");
  }
  text->remove_prefix(equals + 1);
  return static_cast<uint32_t>(*number);
}

std::vector<std::byte> ParseHex(std::string_view digits) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2) break;
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (digits.empty() || bytes.size() * 2 != digits.size()) {
    Fail(ExitCode::kUsage, "'", digits, "' is no row of bytes; write two hexadecimal digits for each");
  }
  return bytes;
}

double ParseTolerancePart(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size() || !(value >= 0)) {
    Fail(ExitCode::kUsage, "--tolerance takes ABSOLUTE[,RELATIVE], numbers of at least 0, not '", text, "'");
  }
  return value;
}

}  // namespace

InputArgument ParseInputArgument(std::string_view text) {
  InputArgument argument;
  argument.binding = TakeBinding(&text);
  const size_t value = text.find("]=");
  if (value != std::string_view::npos && LooksLikeArraySpec(text.substr(0, value + 1))) {
    argument.spec = ParseArraySpec(text.substr(0, value + 1));
    argument.value = text.substr(value + 2);
    return argument;
  }
  argument.path = text;
  if (argument.path.empty()) Fail(ExitCode::kUsage, "--input needs a file, or a value like f32[8,8]=0");
  return argument;
}

OutputArgument ParseOutputArgument(std::string_view text) {
  OutputArgument argument;
  argument.binding = TakeBinding(&text);
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && LooksLikeArraySpec(text.substr(colon + 1))) {
    argument.spec = ParseArraySpec(text.substr(colon + 1));
    text = text.substr(0, colon);
  }
  argument.path = text;
  return argument;
}

ExpectArgument ParseExpectArgument(std::string_view text) {
  ExpectArgument argument;
  argument.binding = TakeBinding(&text);
  argument.path = text;
  if (argument.path.empty()) Fail(ExitCode::kUsage, "--expect needs a file");
  return argument;
}

ConstantArgument ParseConstantArgument(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    Fail(ExitCode::kUsage, "--constant takes TYPE:VALUE, as in u32:5, not '", text, "'");
  }
  const std::string_view type_name = text.substr(0, colon);
  const std::string_view value = text.substr(colon + 1);
  ConstantArgument argument;
  argument.text = text;
  if (type_name == "hex") {
    argument.bytes = ParseHex(value);
    return argument;
  }
  argument.type = ParseElementType(type_name);
  argument.bytes = ParseElement(argument.type, value);
  argument.alignment = ReaderFor(argument.type).size;
  return argument;
}

NamedArgument ParseNamedArgument(std::string_view text) {
  const size_t sign = text.find_first_of("=:");
  if (sign == 0 || sign == std::string_view::npos) {
    Fail(ExitCode::kUsage, "'", text, "' is no argument; write NAME=VALUE, NAME=FILE or NAME:FILE for a result");
  }
  NamedArgument argument = {std::string(text.substr(0, sign)), std::string(text.substr(sign + 1)), text[sign] == ':'};
  if (argument.text.empty()) Fail(ExitCode::kUsage, "'", text, "' says nothing behind the name");
  return argument;
}

Tolerance ParseTolerance(std::string_view text) {
  const std::vector<std::string_view> parts = SplitText(text, ',');
  if (parts.size() > 2) Fail(ExitCode::kUsage, "--tolerance takes ABSOLUTE[,RELATIVE], not '", text, "'");
  Tolerance tolerance;
  tolerance.absolute = ParseTolerancePart(parts[0]);
  if (parts.size() == 2) tolerance.relative = ParseTolerancePart(parts[1]);
  return tolerance;
}

}  // namespace halyard::tools
