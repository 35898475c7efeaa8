// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/npy/npy_dtype.h"

#include <algorithm>
#include <array>
#include <bit>

#include "function/value_type.h"
#include "support/failure.h"
#include "support/npy/npy.h"

namespace halyard::tools {
namespace {

struct KnownType {
  std::string_view name;  // without the byte order
  hal_element_type_t type;
};

constexpr std::array kKnown = {
    KnownType{"b1", HAL_ELEMENT_TYPE_I1},          KnownType{"i1", HAL_ELEMENT_TYPE_SI8},
    KnownType{"i2", HAL_ELEMENT_TYPE_SI16},        KnownType{"i4", HAL_ELEMENT_TYPE_SI32},
    KnownType{"i8", HAL_ELEMENT_TYPE_SI64},        KnownType{"u1", HAL_ELEMENT_TYPE_UI8},
    KnownType{"u2", HAL_ELEMENT_TYPE_UI16},        KnownType{"u4", HAL_ELEMENT_TYPE_UI32},
    KnownType{"u8", HAL_ELEMENT_TYPE_UI64},        KnownType{"f2", HAL_ELEMENT_TYPE_F16},
    KnownType{"f4", HAL_ELEMENT_TYPE_F32},         KnownType{"f8", HAL_ELEMENT_TYPE_F64},
    KnownType{"c8", HAL_ELEMENT_TYPE_COMPLEX_F32}, KnownType{"c16", HAL_ELEMENT_TYPE_COMPLEX_F64},
};
constexpr const char* kSupported = "supported are b1, i1 to i8, u1 to u8, f2, f4, f8, c8 and c16";

constexpr bool kLittleEndianHost = std::endian::native == std::endian::little;

// What an unsupported dtype is, for people; empty if it is nothing of NumPy's.
std::string_view Description(std::string_view name) {
  if (name.empty()) return "";
  switch (name.front()) {
    case 'O':
      return "Python objects";
    case 'S':
    case 'a':
      return "byte strings";
    case 'U':
      return "text";
    case 'V':
      return "raw bytes (bfloat16 arrays are stored like this, too: save them as uint16)";
    case 'M':
    case 'm':
      return "dates or durations";
    default:
      return name == "f16" || name == "c32" || name == "f12" || name == "c24" ? "long doubles" : "";
  }
}

[[noreturn]] void Refuse(std::string_view descr, std::string_view name) {
  const std::string_view description = Description(name);
  if (description.empty()) Fail(ExitCode::kInput, "dtype '", descr, "' is unknown; ", kSupported);
  Fail(ExitCode::kInput, "dtype '", descr, "' (", description, ") is not supported; ", kSupported);
}

bool IsSwapped(char order) { return (order == '<' && !kLittleEndianHost) || (order == '>' && kLittleEndianHost); }

size_t Digits(std::string_view name) { return name.size() == 3 ? 16 : static_cast<size_t>(name[1] - '0'); }

// NumPy's letter for a kind of number; 0 if it has none.
char KindLetter(hal_element_type_t type) {
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_BOOLEAN:
      return 'b';
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_INDEX:
      return 'i';
    case HAL_NUMERIC_KIND_UNSIGNED:
      return 'u';
    case HAL_NUMERIC_KIND_FLOAT:
      return IsComplex(type) ? 'c' : 'f';
    default:
      return 0;
  }
}

}  // namespace

NpyDtype ParseNpyDtype(std::string_view descr) {
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos;
  const char order = has_order ? descr.front() : '=';
  const std::string_view name = has_order ? descr.substr(1) : descr;
  const auto* known = std::ranges::find(kKnown, name, &KnownType::name);
  if (known == kKnown.end()) Refuse(descr, name);
  NpyDtype dtype;
  dtype.type = known->type;
  dtype.size = Digits(name);
  dtype.component_size = name.front() == 'c' ? dtype.size / 2 : dtype.size;
  dtype.swapped = dtype.size > 1 && IsSwapped(order);
  return dtype;
}

std::string NpyDescr(hal_element_type_t type) {
  const char letter = KindLetter(type);
  const bool is_whole = ElementBits(type) == 8 * ElementAlignment(type) || type == HAL_ELEMENT_TYPE_I1;
  if (!is_whole || (IsComplex(type) && letter != 'c')) return "";
  const uint32_t bytes = ElementSize(type);
  const std::string name = letter + std::to_string(bytes);
  const bool exists = std::ranges::find(kKnown, name, &KnownType::name) != kKnown.end();
  if (letter == 0 || !exists) return "";
  const char order = bytes == 1 ? '|' : kLittleEndianHost ? '<' : '>';
  return order + name;
}

}  // namespace halyard::tools
