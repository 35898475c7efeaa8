// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/c_description.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "support/element.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr std::array<std::string_view, 10> kRoles = {"data",    "id.x",    "id.y",   "id.z",   "count.x",
                                                     "count.y", "count.z", "size.x", "size.y", "size.z"};

// Takes a beginning off `text`, if it is there.
bool Take(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

hal_element_type_t ReadPointee(std::string_view text) { return ParseElementType(text == "void" ? "opaque<8>" : text); }

// Takes "4x" or "?x" off `text`, if it is there.
std::optional<int64_t> TakeSize(std::string_view* text) {
  const size_t end = text->find('x');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text->substr(0, end);
  const std::optional<uint64_t> number = digits == "?" ? std::nullopt : ParseUint(digits);
  if (digits != "?" && (!number || *number > INT32_MAX)) return std::nullopt;
  text->remove_prefix(end + 1);
  return number ? static_cast<int64_t>(*number) : HAL_DYNAMIC;
}

// "?x3xf32>".
MlirType ReadHalideBuffer(std::string_view rest) {
  if (!rest.ends_with('>')) Fail(ExitCode::kInput, "expected halide_buffer<?x?xf32>");
  rest.remove_suffix(1);
  MlirType type;
  type.type.kind = HAL_VALUE_KIND_HALIDE_BUFFER;
  while (const std::optional<int64_t> size = TakeSize(&rest)) type.sizes.push_back(*size);
  type.type.rank = static_cast<uint32_t>(type.sizes.size());
  type.type.element_type = ParseElementType(rest);
  return type;
}

MlirType ReadCType(std::string_view text) {
  MlirType type;
  if (text == "null") {
    type.type.kind = HAL_VALUE_KIND_POINTER;
    type.type.element_type = ReadPointee("void");
    type.type.role = HAL_ARGUMENT_ROLE_NULL;
    return type;
  }
  const bool is_constant = Take("const ", &text);
  if (Take("halide_buffer<", &text)) {
    type = ReadHalideBuffer(text);
  } else if (text.ends_with('*')) {
    text.remove_suffix(1);
    type.type.kind = HAL_VALUE_KIND_POINTER;
    type.type.element_type = ReadPointee(text.substr(0, text.find_last_not_of(' ') + 1));
  } else {
    if (is_constant) Fail(ExitCode::kInput, "only pointers and Halide's buffers are const");
    type.type.element_type = ParseElementType(text);
  }
  if (is_constant) type.type.access = HAL_BINDING_ACCESS_READ;
  return type;
}

MlirType ReadCType(const JsonValue& value) {
  const std::string text = value.Text();
  try {
    return ReadCType(std::string_view(text));
  } catch (const Failure& failure) {
    value.Fail(Concat("is '", text, "': ", failure.what()));
  }
}

MlirType ReadCArgument(const JsonValue& value) {
  if (value.IsText()) return ReadCType(value);
  value.AllowKeys({"type", "access", "workgroup"});
  MlirType type = ReadCType(value.At("type"));
  const bool is_scalar = type.type.kind == HAL_VALUE_KIND_SCALAR;
  if (value.Has("workgroup")) {
    if (!is_scalar) value.At("workgroup").Fail("is for numbers");
    type.type.role = static_cast<hal_argument_role_t>(value.At("workgroup").Choice(kRoles));
  }
  if (value.Has("access")) {
    if (is_scalar || type.type.role == HAL_ARGUMENT_ROLE_NULL) value.At("access").Fail("is for pointers");
    type.type.access = ReadAccess(value.At("access"));
  }
  return type;
}

// The text alone, where it says all.
Json ArgumentJson(const hal_value_type_t& type) {
  Json text = ValueTypeText(type);
  if (type.kind == HAL_VALUE_KIND_SCALAR && type.role != HAL_ARGUMENT_ROLE_DATA) {
    return {{"type", text}, {"workgroup", kRoles.at(type.role)}};
  }
  if (type.role == HAL_ARGUMENT_ROLE_NULL || type.access != HAL_BINDING_ACCESS_WRITE) return text;
  return {{"type", text}, {"access", AccessText(type.access)}};
}

}  // namespace

MlirSignature ReadCSignature(const JsonValue& object) {
  MlirFunction function;
  for (const JsonValue& argument : object.At("arguments").Array())
    function.arguments.push_back(ReadCArgument(argument));
  if (!object.Has("result")) return {function, HAL_CALLING_CONVENTION_C};
  if (object.At("result").Text() == "status") return {function, HAL_CALLING_CONVENTION_C_STATUS};
  function.results.push_back(ReadCType(object.At("result")));
  return {function, HAL_CALLING_CONVENTION_C};
}

void AddCSignature(const hal_function_signature_t& signature, Json* object) {
  Json arguments = Json::array();
  for (uint32_t i = 0; i < signature.argument_count; ++i) arguments.push_back(ArgumentJson(signature.arguments[i]));
  (*object)["convention"] = ConventionText(signature.convention);
  (*object)["arguments"] = arguments;
  if (signature.convention == HAL_CALLING_CONVENTION_C_STATUS) (*object)["result"] = "status";
  if (signature.result_count > 0) (*object)["result"] = ValueTypeText(signature.results[0]);
}

}  // namespace halyard::tools
