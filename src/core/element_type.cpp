// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/status.h"
#include "core/public_call.h"
#include "core/validation/checks.h"
#include "function/value_type.h"
#include "halyard/buffer_view.h"

namespace halyard {
namespace {

struct NamedType {
  std::string_view name;
  hal_element_type_t type;
};

/// Every type but complex ones, the narrower integers and the opaque ones. Integers of 65 to 127 bits are left out:
/// MLIR 22 allocates 12 bytes for an i65 where its own code then takes 16.
constexpr NamedType kTypes[] = {
    {"i1", HAL_ELEMENT_TYPE_I1},
    {"index", HAL_ELEMENT_TYPE_INDEX},
    {"f16", HAL_ELEMENT_TYPE_F16},
    {"f32", HAL_ELEMENT_TYPE_F32},
    {"f64", HAL_ELEMENT_TYPE_F64},
    {"f80", HAL_ELEMENT_TYPE_F80},
    {"f128", HAL_ELEMENT_TYPE_F128},
    {"bf16", HAL_ELEMENT_TYPE_BF16},
    {"f8E5M2", HAL_ELEMENT_TYPE_F8E5M2},
    {"f8E4M3", HAL_ELEMENT_TYPE_F8E4M3},
    {"f8E3M4", HAL_ELEMENT_TYPE_F8E3M4},
    {"f8E4M3FN", HAL_ELEMENT_TYPE_F8E4M3FN},
    {"f8E5M2FNUZ", HAL_ELEMENT_TYPE_F8E5M2FNUZ},
    {"f8E4M3FNUZ", HAL_ELEMENT_TYPE_F8E4M3FNUZ},
    {"f8E4M3B11FNUZ", HAL_ELEMENT_TYPE_F8E4M3B11FNUZ},
    {"f8E8M0FNU", HAL_ELEMENT_TYPE_F8E8M0FNU},
    {"f6E2M3FN", HAL_ELEMENT_TYPE_F6E2M3FN},
    {"f6E3M2FN", HAL_ELEMENT_TYPE_F6E3M2FN},
    {"f4E2M1FN", HAL_ELEMENT_TYPE_F4E2M1FN},
    {"i128", HAL_ELEMENT_TYPE_I128},
    {"si128", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_SIGNED, 128)},
    {"ui128", HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_UNSIGNED, 128)},
};

/// A kind of types that come in many widths.
struct Family {
  hal_numeric_kind_t kind;
  std::string_view before;  ///< what stands before the width in the name
  std::string_view after;
  uint32_t least, most, step;

  bool Has(uint32_t bits) const { return bits >= least && bits <= most && bits % step == 0; }
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
    return type == HAL_ELEMENT_TYPE(family.kind, bits) && family.Has(bits);
  });
  return found == std::end(kFamilies) ? nullptr : found;
}

/// What MLIR allows in a complex number.
bool CanBePart(hal_element_type_t type) {
  const hal_numeric_kind_t kind = ElementKind(type);
  return !IsComplex(type) && kind != HAL_NUMERIC_KIND_OPAQUE && kind != HAL_NUMERIC_KIND_INDEX;
}

bool IsKnown(hal_element_type_t type) {
  if (IsComplex(type)) return CanBePart(PartOf(type)) && IsKnown(PartOf(type));
  return FindType(type) || FindFamily(type);
}

/// Room for every name.
class NameText {
 public:
  /// Writes the name of a type; leaves it empty for an unknown one.
  explicit NameText(hal_element_type_t type) {
    if (!IsKnown(type)) return;
    if (IsComplex(type)) Append("complex<");
    if (const NamedType* known = FindType(PartOf(type))) {
      Append(known->name);
    } else {
      AppendMember(*FindFamily(PartOf(type)), ElementBits(type));
    }
    if (IsComplex(type)) Append(">");
  }
  std::string_view View() const { return {text_.data(), length_}; }

 private:
  void Append(std::string_view part) { length_ += part.copy(text_.data() + length_, text_.size() - length_); }
  void AppendMember(const Family& family, uint32_t bits) {
    Append(family.before);
    const auto end = std::to_chars(text_.data() + length_, text_.data() + text_.size(), bits).ptr;
    length_ = static_cast<size_t>(end - text_.data());
    Append(family.after);
  }

  std::array<char, 24> text_;
  size_t length_ = 0;
};

/// Takes `prefix` and `suffix` off a text that has both.
bool Unwrap(std::string_view prefix, std::string_view suffix, std::string_view* text) {
  if (text->size() < prefix.size() + suffix.size() || !text->starts_with(prefix) || !text->ends_with(suffix)) {
    return false;
  }
  *text = text->substr(prefix.size(), text->size() - prefix.size() - suffix.size());
  return true;
}

/// A width as MLIR writes it, without a sign or leading zeroes; 0 if the text is none.
uint32_t ParseBits(std::string_view text) {
  uint32_t bits = 0;
  if (text.empty() || text.front() == '0') return 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  return error == std::errc() && end == text.data() + text.size() ? bits : 0;
}

hal_element_type_t ParseNumber(std::string_view text) {
  for (const NamedType& known : kTypes) {
    if (known.name == text) return known.type;
  }
  for (const Family& family : kFamilies) {
    std::string_view width = text;
    if (!Unwrap(family.before, family.after, &width)) continue;
    const uint32_t bits = ParseBits(width);
    if (family.Has(bits)) return HAL_ELEMENT_TYPE(family.kind, bits);
  }
  return HAL_ELEMENT_TYPE_NONE;
}

hal_element_type_t ParseType(std::string_view text) {
  if (!Unwrap("complex<", ">", &text)) return ParseNumber(text);
  const hal_element_type_t part = ParseNumber(text);
  return CanBePart(part) ? HAL_ELEMENT_TYPE_COMPLEX(part) : HAL_ELEMENT_TYPE_NONE;
}

HostString KnownNames() {
  HostString names;
  for (const NamedType& known : kTypes) names.append(known.name).append(", ");
  return names +
         "i2 to i64, si1 to si64, ui1 to ui64, opaque<8> and other whole bytes; complex<f64> and so on of those but "
         "index and opaque bytes";
}

Status FormatElementType(hal_element_type_t type, char* text, size_t size) {
  HAL_TRY(CheckNotNull("text", text));
  if (size > 0) text[0] = '\0';
  const NameText name_text(type);
  const std::string_view name = name_text.View();
  if (name.empty()) return Fail(HAL_STATUS_INVALID_ARGUMENT, "type 0x%x is unknown", type);
  if (name.size() >= size) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "size is %zu; '%.*s' and its zero byte take %zu", size, HALYARD_SV(name),
                name.size() + 1);
  }
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  return kOk;
}

Status ParseElementType(std::string_view text, hal_element_type_t* out_type) {
  HAL_TRY(CheckNotNull("out_type", out_type));
  *out_type = ParseType(text);
  if (*out_type != HAL_ELEMENT_TYPE_NONE) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%.*s' is no element type; known are %s", HALYARD_SV(text),
              KnownNames().c_str());
}

}  // namespace
}  // namespace halyard

size_t hal_element_type_size(hal_element_type_t type) {
  return halyard::IsKnown(type) ? halyard::ElementSize(type) : 0;
}

hal_status_t hal_element_type_format(hal_element_type_t type, char* text, size_t size) {
  return halyard::Public([&] { return halyard::FormatElementType(type, text, size); });
}

hal_status_t hal_element_type_parse(hal_string_view_t text, hal_element_type_t* out_type) {
  return halyard::Public([&] { return halyard::ParseElementType(halyard::View(text), out_type); });
}
