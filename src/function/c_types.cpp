// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/c_types.h"

#include <algorithm>
#include <cstring>

namespace halyard {
namespace {

/// As HalideRuntime.h has them on machines of 64 bits; tried with Halide 21.
struct HalideDimension {
  int32_t min, extent, stride;
  uint32_t flags;
};
struct HalideBuffer {
  uint64_t device;
  const void* device_interface;
  std::byte* host;
  uint64_t flags;
  uint8_t type_code, type_bits;
  uint16_t type_lanes;
  int32_t dimensions;
  HalideDimension* dim;
  void* padding;
};
static_assert(sizeof(HalideBuffer) == HalideWords(0) * sizeof(uint64_t));
static_assert(sizeof(HalideDimension) == 2 * sizeof(uint64_t));

enum HalideCode : uint8_t { kInt = 0, kUnsigned = 1, kFloat = 2, kBfloat = 4, kNoCode = 255 };

HalideCode HalideCodeOf(hal_element_type_t type) {
  const uint32_t bits = ElementBits(type);
  const bool is_power = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (IsComplex(type)) return kNoCode;
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_BOOLEAN:
      return kUnsigned;
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
      return is_power ? kInt : kNoCode;
    case HAL_NUMERIC_KIND_UNSIGNED:
      return is_power ? kUnsigned : kNoCode;
    case HAL_NUMERIC_KIND_FLOAT:
      return is_power ? kFloat : kNoCode;
    case HAL_NUMERIC_KIND_BFLOAT:
      return kBfloat;
    default:
      return kNoCode;
  }
}

bool IsCNumber(hal_element_type_t type) {
  const uint32_t bits = ElementBits(type);
  if (IsComplex(type)) return false;
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_BOOLEAN:
    case HAL_NUMERIC_KIND_INDEX:
      return true;
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_UNSIGNED:
      return bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case HAL_NUMERIC_KIND_FLOAT:
      return bits == 16 || bits == 32 || bits == 64;
    default:
      return false;
  }
}

Status CheckCNumber(hal_status_t bad, const hal_value_type_t& type) {
  if (IsCNumber(type.element_type)) return kOk;
  if (ElementKind(type.element_type) == HAL_NUMERIC_KIND_OPAQUE) {
    return FailWith(bad, "element_type: structs are not passed by value; let the function take a pointer");
  }
  return Fail(
      bad,
      "element_type: C compilers do not agree how %s is passed; expected i1, index, f16, f32, f64 or an integer "
      "of 8, 16, 32 or 64 bits; let the function take a pointer",
      TypeText(type).c_str());
}

Status CheckCScalar(hal_status_t bad, const hal_value_type_t& type) {
  HAL_TRY(CheckCNumber(bad, type));
  if (type.role == HAL_ARGUMENT_ROLE_DATA) return kOk;
  if (type.role == HAL_ARGUMENT_ROLE_NULL) return FailWith(bad, "role: only pointers are NULL");
  if (IsInteger(type.element_type) && ElementBits(type.element_type) >= 32) return kOk;
  return Fail(bad, "role: a workgroup number is an index or an integer of 32 or 64 bits, not %s",
              TypeText(type).c_str());
}

Status CheckHalideBuffer(hal_status_t bad, const hal_value_type_t& type) {
  if (type.role != HAL_ARGUMENT_ROLE_DATA) return FailWith(bad, "role: a buffer is no workgroup number");
  if (type.strides) return FailWith(bad, "strides: Halide's buffers have any; leave them out");
  if (HalideCodeOf(type.element_type) != kNoCode) return kOk;
  return Fail(bad, "element_type: Halide has no such elements: %s", TypeText(type).c_str());
}

}  // namespace

Status CheckCArgument(hal_status_t bad, const hal_value_type_t& type) {
  switch (type.kind) {
    case HAL_VALUE_KIND_SCALAR:
      return CheckCScalar(bad, type);
    case HAL_VALUE_KIND_POINTER:
      if (type.role == HAL_ARGUMENT_ROLE_DATA || type.role == HAL_ARGUMENT_ROLE_NULL) return kOk;
      return FailWith(bad, "role: a pointer is no workgroup number");
    case HAL_VALUE_KIND_HALIDE_BUFFER:
      return CheckHalideBuffer(bad, type);
    default:
      return FailWith(bad, "kind: C functions take pointers, not memrefs");
  }
}

Status CheckCResults(hal_status_t bad, const hal_function_signature_t& signature) {
  if (signature.result_count == 0) return kOk;
  if (signature.convention == HAL_CALLING_CONVENTION_C_STATUS) {
    return FailWith(bad, "results: a C function that returns a status returns nothing else");
  }
  if (signature.result_count > 1) {
    return Fail(bad, "results: there are %u; a C function returns one at most", signature.result_count);
  }
  const hal_value_type_t& type = signature.results[0];
  if (type.kind != HAL_VALUE_KIND_SCALAR) {
    return FailWith(bad,
                    "results[0].kind: a C function returns a number or nothing; let it take a pointer to write to");
  }
  if (type.role != HAL_ARGUMENT_ROLE_DATA) return FailWith(bad, "results[0].role: a result has none");
  return Annotate(CheckCNumber(bad, type), "results[0].");
}

void WriteHalideBuffer(const Descriptor& descriptor, uint64_t* words) {
  auto* const buffer = reinterpret_cast<HalideBuffer*>(words);
  auto* const dim = reinterpret_cast<HalideDimension*>(words + HalideWords(0));
  const auto rank = static_cast<int32_t>(descriptor.rank);
  *buffer = {0,
             nullptr,
             FirstElement(descriptor),
             0,
             HalideCodeOf(descriptor.element_type),
             static_cast<uint8_t>(ElementBits(descriptor.element_type)),
             1,
             rank,
             dim,
             nullptr};
  for (int32_t i = 0; i < rank; ++i) {
    const auto last = static_cast<size_t>(rank - 1 - i);
    dim[i] = {0, static_cast<int32_t>(descriptor.Sizes()[last]), static_cast<int32_t>(descriptor.Strides()[last]), 0};
  }
}

void CopyHalideBuffer(const uint64_t* source, uint32_t rank, uint64_t* words) {
  std::copy_n(source, HalideWords(rank), words);
  reinterpret_cast<HalideBuffer*>(words)->dim = reinterpret_cast<HalideDimension*>(words + HalideWords(0));
}

}  // namespace halyard
