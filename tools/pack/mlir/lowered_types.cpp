// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowered_types.h"

#include <span>
#include <vector>

#include "function/signature.h"
#include "support/failure.h"
#include "support/kernels/export_description.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// "f32" of "f32", "i32" of "ui32", "i8" of "f8E5M2", "struct<(f32, f32)>" of "complex<f32>".
std::string LoweredScalar(std::string_view name) {
  constexpr std::string_view kComplex = "complex<";
  if (name.starts_with(kComplex)) {
    const std::string part = LoweredScalar(name.substr(kComplex.size(), name.size() - kComplex.size() - 1));
    return "struct<(" + part + ", " + part + ")>";
  }
  if (name == "index") return "i64";
  if (name.starts_with("si") || name.starts_with("ui")) return std::string(name.substr(1));
  if (name.starts_with("f8E")) return "i8";
  if (name.starts_with("f6E")) return "i6";
  if (name.starts_with("f4E")) return "i4";
  return std::string(name);
}

// The fields of a descriptor, each an argument of its own or together a struct.
std::vector<std::string> Fields(const hal_value_type_t& type, bool as_arguments) {
  if (type.kind == HAL_VALUE_KIND_UNRANKED) return {"i64", "ptr"};
  std::vector<std::string> fields = {"ptr", "ptr", "i64"};
  if (as_arguments) {
    fields.insert(fields.end(), size_t{2} * type.rank, "i64");
  } else if (type.rank > 0) {
    fields.insert(fields.end(), 2, Concat("array<", type.rank, " x i64>"));
  }
  return fields;
}

std::string Struct(const std::vector<std::string>& fields) { return "struct<(" + JoinText(fields) + ")>"; }

bool IsMemref(const hal_value_type_t& type) { return type.kind != HAL_VALUE_KIND_SCALAR; }

std::string Result(const hal_value_type_t& type, bool is_bare) {
  if (!IsMemref(type)) return LoweredScalar(ValueTypeText(type));
  return is_bare && type.kind == HAL_VALUE_KIND_RANKED ? "ptr" : Struct(Fields(type, /*as_arguments=*/false));
}

}  // namespace

std::string LoweredType(const hal_function_signature_t& signature) {
  const bool is_wrapper = signature.convention == HAL_CALLING_CONVENTION_WRAPPER;
  const bool is_bare = signature.convention == HAL_CALLING_CONVENTION_BARE_POINTER;
  std::vector<std::string> arguments;
  std::vector<std::string> results;
  for (const hal_value_type_t& type : ResultsOf(signature)) results.push_back(Result(type, is_bare));
  std::string result = results.empty() ? "void" : results.size() == 1 ? results[0] : Struct(results);
  if (is_wrapper && result.starts_with("struct<")) {
    arguments.emplace_back("ptr");
    result = "void";
  }
  for (const hal_value_type_t& type : ArgumentsOf(signature)) {
    if (!IsMemref(type)) {
      arguments.push_back(LoweredScalar(ValueTypeText(type)));
    } else if (is_wrapper || (is_bare && type.kind == HAL_VALUE_KIND_RANKED)) {
      arguments.emplace_back("ptr");
    } else {
      const std::vector<std::string> fields = Fields(type, /*as_arguments=*/true);
      arguments.insert(arguments.end(), fields.begin(), fields.end());
    }
  }
  return result + " (" + JoinText(arguments) + ")";
}

std::string PlainLoweredType(std::string_view text) {
  constexpr std::string_view kPrefix = "!llvm.";
  constexpr std::string_view kFunction = "func<";
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    if (text.substr(at, kPrefix.size()) == kPrefix) {
      at += kPrefix.size();
    } else if (text.substr(at, 4) == "ptr<") {  // up to version 16 pointers have types
      plain += "ptr";
      int depth = 0;
      for (at += 3; at < text.size(); ++at) {
        depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
        if (depth == 0) break;
      }
      ++at;
    } else {
      plain += text[at++];
    }
  }
  if (plain.starts_with(kFunction) && plain.ends_with('>')) {
    return plain.substr(kFunction.size(), plain.size() - kFunction.size() - 1);
  }
  return plain;
}

}  // namespace halyard::tools
