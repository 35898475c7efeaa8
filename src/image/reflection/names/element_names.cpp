// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/names/element_names.h"

#include <algorithm>
#include <array>

namespace halyard {
namespace {

struct NamedType {
  std::string_view name;
  hal_element_type_t type;
};

// A vector of them has the number of its parts behind the name.
constexpr std::array kNumbers = {
    NamedType{"char", HAL_ELEMENT_TYPE_SI8},      NamedType{"uchar", HAL_ELEMENT_TYPE_UI8},
    NamedType{"short", HAL_ELEMENT_TYPE_SI16},    NamedType{"ushort", HAL_ELEMENT_TYPE_UI16},
    NamedType{"int", HAL_ELEMENT_TYPE_SI32},      NamedType{"uint", HAL_ELEMENT_TYPE_UI32},
    NamedType{"long", HAL_ELEMENT_TYPE_SI64},     NamedType{"ulong", HAL_ELEMENT_TYPE_UI64},
    NamedType{"longlong", HAL_ELEMENT_TYPE_SI64}, NamedType{"ulonglong", HAL_ELEMENT_TYPE_UI64},
    NamedType{"half", HAL_ELEMENT_TYPE_F16},      NamedType{"__half", HAL_ELEMENT_TYPE_F16},
    NamedType{"float", HAL_ELEMENT_TYPE_F32},     NamedType{"double", HAL_ELEMENT_TYPE_F64}};

// These end in digits of their own.
constexpr std::array kOthers = {
    NamedType{"__nv_bfloat16", HAL_ELEMENT_TYPE_BF16}, NamedType{"__nv_bfloat162", HAL_ELEMENT_TYPE_BF16},
    NamedType{"__nv_fp8_e4m3", HAL_ELEMENT_TYPE_F8E4M3FN}, NamedType{"__nv_fp8_e5m2", HAL_ELEMENT_TYPE_F8E5M2},
    NamedType{"__hip_bfloat16", HAL_ELEMENT_TYPE_BF16}};

constexpr std::array kNumba = {NamedType{"int8", HAL_ELEMENT_TYPE_SI8},    NamedType{"uint8", HAL_ELEMENT_TYPE_UI8},
                               NamedType{"int16", HAL_ELEMENT_TYPE_SI16},  NamedType{"uint16", HAL_ELEMENT_TYPE_UI16},
                               NamedType{"int32", HAL_ELEMENT_TYPE_SI32},  NamedType{"uint32", HAL_ELEMENT_TYPE_UI32},
                               NamedType{"int64", HAL_ELEMENT_TYPE_SI64},  NamedType{"uint64", HAL_ELEMENT_TYPE_UI64},
                               NamedType{"float16", HAL_ELEMENT_TYPE_F16}, NamedType{"float32", HAL_ELEMENT_TYPE_F32},
                               NamedType{"float64", HAL_ELEMENT_TYPE_F64}, NamedType{"boolean", HAL_ELEMENT_TYPE_I1}};

constexpr std::array kMangled = {
    MangledNumber{'w', HAL_ELEMENT_TYPE_NONE, 0},  MangledNumber{'b', HAL_ELEMENT_TYPE_I1, 1},
    MangledNumber{'c', HAL_ELEMENT_TYPE_I8, 1},    MangledNumber{'a', HAL_ELEMENT_TYPE_SI8, 1},
    MangledNumber{'h', HAL_ELEMENT_TYPE_UI8, 1},   MangledNumber{'s', HAL_ELEMENT_TYPE_SI16, 2},
    MangledNumber{'t', HAL_ELEMENT_TYPE_UI16, 2},  MangledNumber{'i', HAL_ELEMENT_TYPE_SI32, 4},
    MangledNumber{'j', HAL_ELEMENT_TYPE_UI32, 4},  MangledNumber{'l', HAL_ELEMENT_TYPE_SI64, 8},
    MangledNumber{'m', HAL_ELEMENT_TYPE_UI64, 8},  MangledNumber{'x', HAL_ELEMENT_TYPE_SI64, 8},
    MangledNumber{'y', HAL_ELEMENT_TYPE_UI64, 8},  MangledNumber{'n', HAL_ELEMENT_TYPE_NONE, 16},
    MangledNumber{'o', HAL_ELEMENT_TYPE_NONE, 16}, MangledNumber{'f', HAL_ELEMENT_TYPE_F32, 4},
    MangledNumber{'d', HAL_ELEMENT_TYPE_F64, 8},   MangledNumber{'e', HAL_ELEMENT_TYPE_NONE, 0},
    MangledNumber{'g', HAL_ELEMENT_TYPE_F128, 16}};

template <size_t kCount>
hal_element_type_t Find(const std::array<NamedType, kCount>& types, std::string_view name) {
  const auto* const found =
      std::find_if(types.begin(), types.end(), [&](const NamedType& known) { return known.name == name; });
  return found == types.end() ? HAL_ELEMENT_TYPE_NONE : found->type;
}

}  // namespace

hal_element_type_t ElementTypeOfName(std::string_view name) {
  const hal_element_type_t other = Find(kOthers, name);
  if (other != HAL_ELEMENT_TYPE_NONE) return other;
  const std::string_view parts = name.substr(std::min(name.find_last_not_of("0123456789") + 1, name.size()));
  constexpr std::array<std::string_view, 7> kParts = {"", "1", "2", "3", "4", "8", "16"};
  if (std::find(kParts.begin(), kParts.end(), parts) == kParts.end()) return HAL_ELEMENT_TYPE_NONE;
  return Find(kNumbers, name.substr(0, name.size() - parts.size()));
}

hal_element_type_t ElementTypeOfNumba(std::string_view name) { return Find(kNumba, name); }

const MangledNumber* FindMangledNumber(char letter) {
  const auto* const found = std::find_if(kMangled.begin(), kMangled.end(),
                                         [&](const MangledNumber& known) { return known.letter == letter; });
  return found == kMangled.end() ? nullptr : found;
}

}  // namespace halyard
