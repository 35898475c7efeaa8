// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/dlpack/dlpack_types.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace halyard::dlpack {
namespace {

struct Pair {
  hal_numeric_kind_t kind;
  TypeCode code;
};

// The first of each code is what a tensor of that code becomes.
constexpr Pair kPairs[] = {
    {HAL_NUMERIC_KIND_INTEGER, kInt},
    {HAL_NUMERIC_KIND_SIGNED, kInt},
    {HAL_NUMERIC_KIND_INDEX, kInt},
    {HAL_NUMERIC_KIND_UNSIGNED, kUInt},
    {HAL_NUMERIC_KIND_FLOAT, kFloat},
    {HAL_NUMERIC_KIND_BFLOAT, kBfloat},
    {HAL_NUMERIC_KIND_BOOLEAN, kBool},
    {HAL_NUMERIC_KIND_F8E3M4, kFloat8E3M4},
    {HAL_NUMERIC_KIND_F8E4M3, kFloat8E4M3},
    {HAL_NUMERIC_KIND_F8E4M3B11FNUZ, kFloat8E4M3B11Fnuz},
    {HAL_NUMERIC_KIND_F8E4M3FN, kFloat8E4M3Fn},
    {HAL_NUMERIC_KIND_F8E4M3FNUZ, kFloat8E4M3Fnuz},
    {HAL_NUMERIC_KIND_F8E5M2, kFloat8E5M2},
    {HAL_NUMERIC_KIND_F8E5M2FNUZ, kFloat8E5M2Fnuz},
    {HAL_NUMERIC_KIND_F8E8M0FNU, kFloat8E8M0Fnu},
    {HAL_NUMERIC_KIND_F6E2M3FN, kFloat6E2M3Fn},
    {HAL_NUMERIC_KIND_F6E3M2FN, kFloat6E3M2Fn},
    {HAL_NUMERIC_KIND_F4E2M1FN, kFloat4E2M1Fn},
};

constexpr hal_element_type_t kComplexBit = 0x8000;

uint32_t BitsOf(hal_element_type_t type) { return type & 0xff; }
hal_numeric_kind_t KindOf(hal_element_type_t type) { return static_cast<hal_numeric_kind_t>(type >> 8 & 0x7f); }

Status FailNoType(hal_element_type_t type) {
  std::array<char, 24> name{};  // empty for a type without one, which no view has
  static_cast<void>(hal_element_type_format(type, name.data(), name.size()));
  return Fail(HAL_STATUS_INCOMPATIBLE, "DLPack has no elements of type %s", name.data());
}

Status FailNoView(const DataType& type, const char* why) {
  return Fail(HAL_STATUS_INCOMPATIBLE, "no view has elements of DLPack's type code %u with %u bits%s", type.code,
              type.bits, why);
}

/// Whether elements lie in memory as DLPack's of that many bits do. Of other widths they are padded to more than that.
bool HasPlainLayout(hal_element_type_t type, uint32_t bits) {
  return bits < 8 || hal_element_type_size(type) * 8 == bits;
}

}  // namespace

Status ToDataType(hal_element_type_t type, DataType* out_type) {
  out_type->lanes = 1;
  if (type & kComplexBit) {
    const uint32_t bits = 2 * BitsOf(type);
    if (KindOf(type) != HAL_NUMERIC_KIND_FLOAT || !HasPlainLayout(type, bits)) return FailNoType(type);
    out_type->code = kComplex;
    out_type->bits = static_cast<uint8_t>(bits);
    return bits <= UINT8_MAX ? kOk : FailNoType(type);
  }
  const auto* const pair =
      std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair& known) { return known.kind == KindOf(type); });
  const bool boolean = KindOf(type) == HAL_NUMERIC_KIND_BOOLEAN;
  const uint32_t bits = boolean ? 8 : BitsOf(type);
  if (pair == std::end(kPairs) || !HasPlainLayout(type, bits)) return FailNoType(type);
  out_type->code = pair->code;
  out_type->bits = static_cast<uint8_t>(bits);
  return kOk;
}

Status FromDataType(const DataType& type, bool padded, hal_element_type_t* out_type) {
  if (type.lanes != 1) return Fail(HAL_STATUS_INCOMPATIBLE, "elements are vectors of %u lanes", type.lanes);
  if (type.bits < 8 && !padded) return FailNoView(type, ", packed into bytes");
  if (type.code == kComplex) {
    *out_type = HAL_ELEMENT_TYPE_COMPLEX(HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_FLOAT, type.bits / 2));
  } else {
    const auto* const pair =
        std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair& known) { return known.code == type.code; });
    if (pair == std::end(kPairs) || (type.code == kBool && type.bits != 8)) return FailNoView(type, "");
    *out_type = type.code == kBool ? HAL_ELEMENT_TYPE_I1 : HAL_ELEMENT_TYPE(pair->kind, type.bits);
  }
  const size_t size = hal_element_type_size(*out_type);
  const bool exact = size != 0 && (type.code == kBool || HasPlainLayout(*out_type, type.bits));
  return exact ? kOk : FailNoView(type, "");
}

}  // namespace halyard::dlpack
