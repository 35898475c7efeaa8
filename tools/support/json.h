// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON, read with messages that say where something is wrong.
#ifndef HALYARD_TOOLS_SUPPORT_JSON_H_
#define HALYARD_TOOLS_SUPPORT_JSON_H_

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// Keeps the order in which keys are put in.
using Json = nlohmann::ordered_json;

/// The document as text with two blanks to a level and a line feed at the end. Bytes that are no UTF-8 are replaced.
std::string JsonText(const Json& document);

/// Reads a file of JSON, in which // comments are allowed. Throws Failure (kInput).
Json ReadJsonFile(const std::string& path);

/// A value of a document and the place where it stands, for messages: "exports[0].parameters".
///
/// The functions throw Failure (kInput) if the value is not of the kind that is asked for.
class JsonValue {
 public:
  JsonValue(const Json& value, std::string place) : value_(&value), place_(std::move(place)) {}

  /// An object: throws if it has another key than these.
  void AllowKeys(std::initializer_list<std::string_view> keys) const;
  bool Has(std::string_view key) const;
  /// The value of a key that must be there.
  JsonValue At(std::string_view key) const;

  std::vector<JsonValue> Array() const;
  /// The members of an object with their keys.
  std::vector<std::pair<std::string, JsonValue>> Members() const;
  std::string Text() const;
  uint32_t Uint32() const;
  bool Bool() const;
  /// A number or a text as text; 1 for true and 0 for false.
  std::string Scalar() const;
  bool IsNull() const { return value_->is_null(); }
  /// The index of the string among those that there are.
  size_t Choice(std::span<const std::string_view> names) const;
  bool IsArray() const { return value_->is_array(); }
  bool IsObject() const { return value_->is_object(); }
  bool IsText() const { return value_->is_string(); }

  [[noreturn]] void Fail(const std::string& what) const;

 private:
  void CheckObject() const;
  std::string KeyPlace(std::string_view key) const;

  const Json* value_;
  std::string place_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_JSON_H_
