// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/uri.h"

#include <algorithm>
#include <utility>

namespace halyard {
namespace {

constexpr std::string_view kSeparator = "://";

// The part of `text` before `separator`, which is removed from `text` together with the separator.
std::string_view TakeUntil(char separator, std::string_view& text) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that "%XX" at the start of `text` stands for; 0, which no text may contain, if it is malformed.
char DecodeByte(std::string_view text) {
  if (text.size() < 3) return 0;
  const int high = HexDigit(text[1]);
  const int low = HexDigit(text[2]);
  return high < 0 || low < 0 ? '\0' : static_cast<char>(high * 16 + low);
}

Status PercentDecode(std::string_view text, HostString* decoded) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded->push_back(text[i]);
      continue;
    }
    const char byte = DecodeByte(text.substr(i));
    if (byte == 0) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT,
                  "'%.*s' has a malformed '%%': write two hexadecimal digits after it, not 00, and '%%25' for itself",
                  HALYARD_SV(text));
    }
    decoded->push_back(byte);
    i += 2;
  }
  return kOk;
}

Status ParseDriver(std::string_view name, Uri* uri) {
  if (!IsDriverName(name)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s' is no driver name: use lower-case letters, digits, '-' and '_'",
                HALYARD_SV(name));
  }
  uri->driver = name;
  return kOk;
}

Status ParseParameter(std::string_view text, Uri* uri) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter '%.*s' is malformed; expected key=value", HALYARD_SV(text));
  }
  Uri::Parameter parameter;
  HAL_TRY(PercentDecode(text.substr(0, equals), &parameter.key));
  HAL_TRY(PercentDecode(text.substr(equals + 1), &parameter.value));
  if (std::ranges::find(uri->parameters, parameter.key, &Uri::Parameter::key) != uri->parameters.end()) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "parameter '%s' is given twice", parameter.key.c_str());
  }
  uri->parameters.push_back(std::move(parameter));
  return kOk;
}

Status ParseParts(std::string_view text, Uri* uri) {
  std::string_view path = TakeUntil('?', text);
  const size_t separator = std::min(path.find(':'), path.size());
  HAL_TRY(ParseDriver(path.substr(0, separator), uri));
  path.remove_prefix(separator);
  if (!path.empty() && !path.starts_with(kSeparator)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "expected '://' after the driver's name, not '%.*s'", HALYARD_SV(path));
  }
  path.remove_prefix(std::min(kSeparator.size(), path.size()));
  HAL_TRY(PercentDecode(path, &uri->id));
  while (!text.empty()) HAL_TRY(ParseParameter(TakeUntil('&', text), uri));
  return kOk;
}

}  // namespace

bool IsDriverName(std::string_view name) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, allowed);
}

Status ParseUri(std::string_view text, Uri* uri) {
  *uri = Uri();
  if (text.empty()) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "the device URI is empty; expected driver://id?key=value, e.g. 'local'");
  }
  return Annotate(ParseParts(text, uri), "device URI '", text, "': ");
}

}  // namespace halyard
