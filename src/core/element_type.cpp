// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "common/status.h"
#include "common/value_type.h"
#include "core/checks.h"
#include "halyard/buffer_view.h"

namespace halyard {
namespace {

struct NamedType {
  std::string_view name;
  hal_element_type_t type;
};

/// Every type but the narrower integers and the opaque ones. Integers of 65 to 127 bits are left out: MLIR 22 allocates
/// 12 bytes for an i65 where its own code then takes 16.
constexpr NamedType kTypes[] = {
    {"i1", HAL_ELEMENT_TYPE_I1},
    {"index", HAL_ELEMENT_TYPE_INDEX},
    {"f16", HAL_ELEMENT_TYPE_F16},
    {"f32", HAL_ELEMENT_TYPE_F32},
    {"f64", HAL_ELEMENT_TYPE_F64},
    {"f80", HAL_ELEMENT_TYPE_F80},
    {"f128", HAL_ELEMENT_TYPE_F128},
    {"bf16", HAL_ELEMENT_TYPE_BF16},
    {"complex<f16>", HAL_ELEMENT_TYPE_COMPLEX_F16},
    {"complex<bf16>", HAL_ELEMENT_TYPE_COMPLEX_BF16},
    {"complex<f32>", HAL_ELEMENT_TYPE_COMPLEX_F32},
    {"complex<f64>", HAL_ELEMENT_TYPE_COMPLEX_F64},
    {"i128", HAL_ELEMENT_TYPE_I128},
    {"si128", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 128)},
    {"ui128", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 128)},
};

/// A kind of types that come in many widths.
struct Family {
  hal_numeric_kind_t kind;
  const char* before;  ///< what stands before the width in the name
  const char* after;
  uint32_t least, most, step;
};
constexpr Family kFamilies[] = {
    {HAL_NUMERIC_KIND_INTEGER, "i", "", 2, 64, 1},  // i1 is BOOLEAN
    {HAL_NUMERIC_KIND_SIGNED, "si", "", 1, 64, 1},
    {HAL_NUMERIC_KIND_UNSIGNED, "ui", "", 1, 64, 1},
    {HAL_NUMERIC_KIND_OPAQUE, "opaque<", ">", 8, 248, 8},
};

const NamedType* FindType(hal_element_type_t type) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const NamedType& known) { return known.type == type; });
  return found == std::end(kTypes) ? nullptr : found;
}

const Family* FindFamily(hal_element_type_t type) {
  const uint32_t bits = ElementBits(type);
  const auto* const found = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& family) {
    return type == HAL_ELEMENT_TYPE(family.kind, bits) && bits >= family.least && bits <= family.most &&
           bits % family.step == 0;
  });
  return found == std::end(kFamilies) ? nullptr : found;
}

using NameText = std::array<char, 24>;

/// The name of a type, in `buffer` if it has to be put together; empty for an unknown one.
std::string_view NameOf(hal_element_type_t type, NameText& buffer) {
  if (const NamedType* known = FindType(type)) return known->name;
  const Family* const family = FindFamily(type);
  if (!family) return {};
  const int length =
      std::snprintf(buffer.data(), buffer.size(), "%s%u%s", family->before, ElementBits(type), family->after);
  return {buffer.data(), static_cast<size_t>(length)};
}

hal_element_type_t ParseType(std::string_view text) {
  for (const NamedType& known : kTypes) {
    if (known.name == text) return known.type;
  }
  NameText buffer;
  for (const Family& family : kFamilies) {
    for (uint32_t bits = family.least; bits <= family.most; bits += family.step) {
      const hal_element_type_t type = HAL_ELEMENT_TYPE(family.kind, bits);
      if (NameOf(type, buffer) == text) return type;
    }
  }
  return HAL_ELEMENT_TYPE_NONE;
}

HostString KnownNames() {
  HostString names;
  for (const NamedType& known : kTypes) names.append(known.name).append(", ");
  return names + "i2 to i64, si1 to si64, ui1 to ui64, opaque<8> and other whole bytes";
}

Status FormatElementType(hal_element_type_t type, char* text, size_t size) {
  constexpr const char* kFunction = "hal_element_type_format";
  if (Status status = CheckNotNull(kFunction, "text", text); status != kOk) return status;
  if (size > 0) text[0] = '\0';
  NameText buffer;
  const std::string_view name = NameOf(type, buffer);
  if (name.empty()) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: type 0x%x is unknown", kFunction, type);
  if (name.size() >= size) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: size is %zu; '%.*s' and its zero byte take %zu", kFunction, size,
                HALYARD_SV(name), name.size() + 1);
  }
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  return kOk;
}

Status ParseElementType(std::string_view text, hal_element_type_t* out_type) {
  constexpr const char* kFunction = "hal_element_type_parse";
  if (Status status = CheckNotNull(kFunction, "out_type", out_type); status != kOk) return status;
  *out_type = ParseType(text);
  if (*out_type != HAL_ELEMENT_TYPE_NONE) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: '%.*s' is no element type; known are %s", kFunction, HALYARD_SV(text),
              KnownNames().c_str());
}

}  // namespace
}  // namespace halyard

size_t hal_element_type_size(hal_element_type_t type) {
  return halyard::FindType(type) || halyard::FindFamily(type) ? halyard::ElementSize(type) : 0;
}

hal_status_t hal_element_type_format(hal_element_type_t type, char* text, size_t size) {
  return halyard::Guard([&] { return halyard::FormatElementType(type, text, size); });
}

hal_status_t hal_element_type_parse(hal_string_view_t text, hal_element_type_t* out_type) {
  return halyard::Guard([&] { return halyard::ParseElementType(halyard::View(text), out_type); });
}
