// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enough JSON (RFC 8259) to look into a trace file, and strict about it.
#ifndef HALYARD_TESTS_CTS_DEVICES_JSON_H_
#define HALYARD_TESTS_CTS_DEVICES_JSON_H_

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace halyard::cts {

struct JsonValue;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::map<std::string, JsonValue>;

struct JsonValue {
  std::variant<std::nullptr_t, bool, double, std::string, JsonArray, JsonObject> value;

  bool IsString() const { return std::holds_alternative<std::string>(value); }
  bool IsNumber() const { return std::holds_alternative<double>(value); }
  bool IsArray() const { return std::holds_alternative<JsonArray>(value); }
  bool IsObject() const { return std::holds_alternative<JsonObject>(value); }
  const std::string& string() const { return std::get<std::string>(value); }
  double number() const { return std::get<double>(value); }
  const JsonArray& array() const { return std::get<JsonArray>(value); }
  /// The member of an object; null if there is none.
  const JsonValue& operator[](const std::string& key) const;
};

/// Reads a whole text; throws, with the position, if it is not valid JSON.
JsonValue ParseJson(std::string_view text);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_DEVICES_JSON_H_
