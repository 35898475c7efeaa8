// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/signature.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "base/round_up.h"
#include "function/c_types.h"

namespace halyard {
namespace {

Status CheckEnum(hal_status_t bad, const char* field, int64_t value, int64_t most) {
  if (value >= 0 && value <= most) return kOk;
  return Fail(bad, "%s: %" PRId64 " is unknown", field, value);
}

Status CheckNumbers(hal_status_t bad, const char* field, const int64_t* numbers, uint32_t rank, bool fixed) {
  for (uint32_t i = 0; i < rank; ++i) {
    if (numbers[i] >= 0 || (numbers[i] == HAL_DYNAMIC && !fixed)) continue;
    const char* const expected = fixed ? "bare pointers need static shapes" : "expected 0 or more, or HAL_DYNAMIC";
    return Fail(bad, "%s[%u]: %" PRId64 "; %s", field, i, numbers[i], expected);
  }
  return kOk;
}

Status CheckSizes(hal_status_t bad, const hal_value_type_t& type, bool fixed) {
  if (type.rank > HAL_MEMREF_MAX_RANK) {
    return Fail(bad, "rank: %u; at most %u is possible", type.rank, static_cast<unsigned>(HAL_MEMREF_MAX_RANK));
  }
  if (type.rank > 0 && !type.sizes) return Fail(bad, "sizes: missing for rank %u", type.rank);
  return CheckNumbers(bad, "sizes", type.sizes, type.rank, fixed);
}

/// MLIR allows negative static strides; everything else is a number or dynamic.
Status CheckRanked(hal_status_t bad, const hal_value_type_t& type, bool fixed) {
  HAL_TRY(CheckSizes(bad, type, fixed));
  if (!type.strides) return type.offset == 0 ? kOk : Fail(bad, "offset: %" PRId64 " without strides", type.offset);
  if (!fixed) return kOk;
  if (type.offset == HAL_DYNAMIC) return FailWith(bad, "offset: bare pointers need static shapes");
  return CheckNumbers(bad, "strides", type.strides, type.rank, fixed);
}

bool CanBeWorkgroupNumber(hal_element_type_t type) {
  return type == HAL_ELEMENT_TYPE_INDEX || type == HAL_ELEMENT_TYPE_I64 || type == HAL_ELEMENT_TYPE_I32;
}

Status CheckScalar(hal_status_t bad, const hal_value_type_t& type) {
  if (ElementKind(type.element_type) == HAL_NUMERIC_KIND_OPAQUE) {
    return FailWith(bad, "element_type: an opaque scalar cannot be passed");
  }
  if (type.role == HAL_ARGUMENT_ROLE_DATA || CanBeWorkgroupNumber(type.element_type)) return kOk;
  return Fail(bad, "role: a workgroup number is an index, i64 or i32, not %s", TypeText(type).c_str());
}

Status CheckMlirType(hal_status_t bad, const hal_value_type_t& type, hal_calling_convention_t convention) {
  HAL_TRY(CheckEnum(bad, "kind", type.kind, HAL_VALUE_KIND_UNRANKED));
  HAL_TRY(CheckEnum(bad, "role", type.role, HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z));
  const bool bare = convention == HAL_CALLING_CONVENTION_BARE_POINTER;
  if (type.kind == HAL_VALUE_KIND_SCALAR) return CheckScalar(bad, type);
  if (type.role != HAL_ARGUMENT_ROLE_DATA) return FailWith(bad, "role: a memref is no workgroup number");
  if (type.kind == HAL_VALUE_KIND_RANKED) return CheckRanked(bad, type, bare);
  return bare ? FailWith(bad, "kind: bare pointers need static shapes, not unranked memrefs") : kOk;
}

Status CheckType(hal_status_t bad, const hal_value_type_t& type, hal_calling_convention_t convention) {
  HAL_TRY(CheckEnum(bad, "kind", type.kind, HAL_VALUE_KIND_HALIDE_BUFFER));
  HAL_TRY(CheckEnum(bad, "role", type.role, HAL_ARGUMENT_ROLE_NULL));
  HAL_TRY(CheckEnum(bad, "access", type.access, HAL_BINDING_ACCESS_WRITE));
  HAL_TRY(CheckEnum(bad, "ownership", type.ownership, HAL_RESULT_OWNERSHIP_BORROWED));
  if (hal_element_type_size(type.element_type) == 0) {
    return Fail(bad, "element_type: 0x%x is unknown", type.element_type);
  }
  if (!IsC(convention)) return CheckMlirType(bad, type, convention);
  if (type.kind == HAL_VALUE_KIND_HALIDE_BUFFER) HAL_TRY(CheckSizes(bad, type, /*fixed=*/false));
  return CheckCArgument(bad, type);
}

Status CheckTypes(hal_status_t bad, const char* list, const hal_value_type_t* types, uint32_t count,
                  hal_calling_convention_t convention) {
  if (count > kMaxSignatureValues) {
    return Fail(bad, "%s: there are %u; at most %u are possible", list, count, kMaxSignatureValues);
  }
  if (count > 0 && !types) return Fail(bad, "%s: there are %u, but the list is NULL", list, count);
  for (uint32_t i = 0; i < count; ++i) {
    const Status status = CheckType(bad, types[i], convention);
    if (status == kOk) continue;
    char prefix[48];
    std::snprintf(prefix, sizeof(prefix), "%s[%u].", list, i);
    return Annotate(status, prefix);
  }
  return kOk;
}

hal_parameter_t ScalarParameter(const hal_value_type_t& type, uint32_t* constants_size) {
  const uint32_t alignment = ElementAlignment(type.element_type);
  const uint32_t offset = RoundUp(*constants_size, alignment);
  *constants_size = offset + ElementSize(type.element_type);
  return hal_parameter_constant(offset, ElementSize(type.element_type));
}

bool SameParameter(const hal_parameter_t& a, const hal_parameter_t& b) {
  return a.kind == b.kind && a.offset == b.offset && a.size == b.size && a.set == b.set && a.binding == b.binding &&
         (a.kind != HAL_PARAMETER_KIND_BINDING || a.access == b.access);
}

}  // namespace

Status CheckSignature(const hal_function_signature_t& signature, hal_status_t bad) {
  HAL_TRY(CheckEnum(bad, "convention", signature.convention, HAL_CALLING_CONVENTION_C_STATUS));
  HAL_TRY(CheckTypes(bad, "arguments", signature.arguments, signature.argument_count, signature.convention));
  HAL_TRY(CheckTypes(bad, "results", signature.results, signature.result_count, signature.convention));
  return IsC(signature.convention) ? CheckCResults(bad, signature) : kOk;
}

HostVector<hal_parameter_t> ParametersOf(const hal_function_signature_t& signature, uint32_t* out_constants_size) {
  HostVector<hal_parameter_t> parameters;
  uint32_t binding = 0;
  *out_constants_size = 0;
  for (const hal_value_type_t& type : ArgumentsOf(signature)) {
    if (IsBound(type)) {
      parameters.push_back(hal_parameter_binding(binding++, type.access));
    } else if (type.kind == HAL_VALUE_KIND_SCALAR && type.role == HAL_ARGUMENT_ROLE_DATA) {
      parameters.push_back(ScalarParameter(type, out_constants_size));
    }
  }
  for (uint32_t i = 0; i < signature.result_count; ++i) {
    parameters.push_back(hal_parameter_binding(binding++, HAL_BINDING_ACCESS_WRITE));
  }
  return parameters;
}

Status CheckParametersFollow(const hal_function_signature_t& signature, std::span<const hal_parameter_t> parameters,
                             uint32_t constants_size, hal_status_t bad) {
  uint32_t expected_size = 0;
  const HostVector<hal_parameter_t> expected = ParametersOf(signature, &expected_size);
  if (constants_size == expected_size &&
      std::equal(parameters.begin(), parameters.end(), expected.begin(), expected.end(), SameParameter)) {
    return kOk;
  }
  return Fail(bad,
              "parameters: these %zu and %u bytes of constants are not the %zu and %u that follow from the signature",
              parameters.size(), constants_size, expected.size(), expected_size);
}

Status AnnotateValue(Status status, std::string_view function, const char* list, size_t index) {
  if (status == kOk) return kOk;
  char position[48];
  std::snprintf(position, sizeof(position), "': %s %zu: ", list, index);
  return Annotate(status, "'", function, position);
}

OwnedSignature::OwnedSignature(const hal_function_signature_t& given) {
  types_.reserve(size_t{given.argument_count} + given.result_count);
  for (const hal_value_type_t& type : ArgumentsOf(given)) types_.push_back(Copy(type));
  for (const hal_value_type_t& type : ResultsOf(given)) types_.push_back(Copy(type));
  head_.push_back(given);
  head_[0].struct_size = sizeof(hal_function_signature_t);
  head_[0].arguments = types_.data();
  head_[0].results = types_.data() + given.argument_count;
}

hal_value_type_t OwnedSignature::Copy(const hal_value_type_t& type) {
  hal_value_type_t copy = type;
  copy.sizes = nullptr;
  copy.strides = nullptr;
  if (!HasSizes(type.kind)) {
    copy.rank = 0;
    return copy;
  }
  // Not empty even for rank 0, so that there is an address to tell a strided layout by.
  HostVector<int64_t> numbers(type.sizes, type.sizes + type.rank);
  if (type.strides) numbers.insert(numbers.end(), type.strides, type.strides + type.rank);
  numbers.push_back(0);
  numbers_.push_back(std::move(numbers));
  copy.sizes = numbers_.back().data();
  if (type.strides) copy.strides = copy.sizes + type.rank;
  return copy;
}

}  // namespace halyard
