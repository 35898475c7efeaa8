// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>

#include "common/status.h"
#include "core/checks.h"
#include "halyard/buffer_view.h"

namespace halyard {
namespace {

struct NamedType {
  std::string_view name;
  hal_element_type_t type;
};

/// Every type but the opaque ones, which have a size instead of a name.
constexpr NamedType kTypes[] = {
    {"i1", HAL_ELEMENT_TYPE_I1},
    {"i2", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_INTEGER, 2)},
    {"i4", HAL_ELEMENT_TYPE_I4},
    {"i8", HAL_ELEMENT_TYPE_I8},
    {"i16", HAL_ELEMENT_TYPE_I16},
    {"i32", HAL_ELEMENT_TYPE_I32},
    {"i64", HAL_ELEMENT_TYPE_I64},
    {"si2", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 2)},
    {"si4", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 4)},
    {"si8", HAL_ELEMENT_TYPE_SI8},
    {"si16", HAL_ELEMENT_TYPE_SI16},
    {"si32", HAL_ELEMENT_TYPE_SI32},
    {"si64", HAL_ELEMENT_TYPE_SI64},
    {"ui2", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 2)},
    {"ui4", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 4)},
    {"ui8", HAL_ELEMENT_TYPE_UI8},
    {"ui16", HAL_ELEMENT_TYPE_UI16},
    {"ui32", HAL_ELEMENT_TYPE_UI32},
    {"ui64", HAL_ELEMENT_TYPE_UI64},
    {"f16", HAL_ELEMENT_TYPE_F16},
    {"f32", HAL_ELEMENT_TYPE_F32},
    {"f64", HAL_ELEMENT_TYPE_F64},
    {"bf16", HAL_ELEMENT_TYPE_BF16},
    {"complex<f32>", HAL_ELEMENT_TYPE_COMPLEX_F32},
    {"complex<f64>", HAL_ELEMENT_TYPE_COMPLEX_F64},
    {"index", HAL_ELEMENT_TYPE_INDEX},
};

/// Opaque types come in whole bytes: opaque<8>, opaque<16> … opaque<248>.
bool IsOpaque(hal_element_type_t type) {
  const uint32_t bits = type & 0xFF;
  return type >> 8 == HAL_NUMERIC_KIND_OPAQUE && bits > 0 && bits % 8 == 0;
}

const NamedType* FindType(hal_element_type_t type) {
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const NamedType& known) { return known.type == type; });
  return found == std::end(kTypes) ? nullptr : found;
}

/// The name of a type, in `buffer` if it has to be put together; empty for an unknown one.
std::string_view NameOf(hal_element_type_t type, std::span<char, 24> buffer) {
  if (const NamedType* known = FindType(type)) return known->name;
  if (!IsOpaque(type)) return {};
  const int length = std::snprintf(buffer.data(), buffer.size(), "opaque<%u>", type & 0xFF);
  return {buffer.data(), static_cast<size_t>(length)};
}

hal_element_type_t ParseOpaque(std::string_view text) {
  std::array<char, 24> buffer;
  for (uint32_t bits = 8; bits < 256; bits += 8) {
    const hal_element_type_t type = HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, bits);
    if (NameOf(type, buffer) == text) return type;
  }
  return HAL_ELEMENT_TYPE_NONE;
}

hal_element_type_t ParseType(std::string_view text) {
  for (const NamedType& known : kTypes) {
    if (known.name == text) return known.type;
  }
  return ParseOpaque(text);
}

HostString KnownNames() {
  HostString names;
  for (const NamedType& known : kTypes) names.append(known.name).append(", ");
  return names + "opaque<8> and other whole bytes";
}

Status FormatElementType(hal_element_type_t type, char* text, size_t size) {
  constexpr const char* kFunction = "hal_element_type_format";
  if (Status status = CheckNotNull(kFunction, "text", text); status != kOk) return status;
  if (size > 0) text[0] = '\0';
  std::array<char, 24> buffer;
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
  if (!halyard::FindType(type) && !halyard::IsOpaque(type)) return 0;
  return (type & 0xFF) < 8 ? 1 : (type & 0xFF) / 8;
}

hal_status_t hal_element_type_format(hal_element_type_t type, char* text, size_t size) {
  return halyard::Guard([&] { return halyard::FormatElementType(type, text, size); });
}

hal_status_t hal_element_type_parse(hal_string_view_t text, hal_element_type_t* out_type) {
  return halyard::Guard([&] { return halyard::ParseElementType(halyard::View(text), out_type); });
}
