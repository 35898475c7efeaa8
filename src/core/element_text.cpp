// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/element_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/host_memory.h"
#include "base/text/small_float.h"
#include "function/value_type.h"

namespace halyard {
namespace {

template <class T>
T Load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// Longer than any number below: a double takes at most 24 characters.
using NumberText = std::array<char, 32>;

template <class T, class... Format>
void AppendNumber(BoundedText* out, T value, Format... format) {
  NumberText text;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format...);
  out->Append({text.data(), static_cast<size_t>(result.ptr - text.data())});
}

/// A float of 16 bits or less, widened, with as many digits as it takes to tell its neighbours apart.
void AppendSmall(BoundedText* out, float value, int digits) {
  AppendNumber(out, value, std::chars_format::general, digits);
}

void AppendHex(BoundedText* out, std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (unsigned char byte : bytes) {
    out->Append(kDigits.substr(byte >> 4, 1));
    out->Append(kDigits.substr(byte & 15, 1));
  }
}

std::span<const unsigned char> BytesOf(hal_element_type_t type, const void* element) {
  return {static_cast<const unsigned char*>(element), ElementSize(type)};
}

/// Numbers of more than 64 bits are shown as their bytes.
void AppendInteger(BoundedText* out, hal_element_type_t type, const void* element) {
  if (ElementBits(type) > 64) return AppendHex(out, BytesOf(type, element));
  uint64_t word = 0;
  std::memcpy(&word, element, ElementSize(type));
  word = ExtendInteger(type, word);
  if (ElementKind(type) == HAL_NUMERIC_KIND_UNSIGNED) return AppendNumber(out, word);
  AppendNumber(out, static_cast<int64_t>(word));
}

void AppendFloat(BoundedText* out, hal_element_type_t type, const void* element) {
  switch (type) {
    case HAL_ELEMENT_TYPE_BF16:
      return AppendSmall(out, BfloatToFloat(Load<uint16_t>(element)), 4);
    case HAL_ELEMENT_TYPE_F16:
      return AppendSmall(out, HalfToFloat(Load<uint16_t>(element)), 5);
    case HAL_ELEMENT_TYPE_F32:
      return AppendNumber(out, Load<float>(element));
    case HAL_ELEMENT_TYPE_F64:
      return AppendNumber(out, Load<double>(element));
    default:
      if (!IsSmallFloat(type)) return AppendHex(out, BytesOf(type, element));
      AppendSmall(out, SmallFloatToFloat(ElementKind(type), Load<uint8_t>(element)), 4);
  }
}

/// "1-2i": a sign stands between the parts.
void AppendComplex(BoundedText* out, hal_element_type_t type, const void* element) {
  const hal_element_type_t part = PartOf(type);
  if (ElementBits(part) > 64) return AppendHex(out, BytesOf(type, element));
  AppendElement(part, element, out);
  NumberText text;
  BoundedText imaginary(text.data(), text.size());
  AppendElement(part, static_cast<const unsigned char*>(element) + ElementSize(part), &imaginary);
  if (text[0] != '-') out->Append("+");
  out->Append(text.data());
  out->Append("i");
}

/// Where brackets stand in a row-major list of elements: a rank-n shape nests them n - 1 deep.
class Brackets {
 public:
  explicit Brackets(const hal_shape_t& shape) {
    uint64_t block = 1;
    for (uint32_t i = shape.rank; i-- > 1;) {
      block *= static_cast<uint64_t>(shape.sizes[i]);
      blocks_.push_back(block);
    }
    count_ = block * (shape.rank > 0 ? static_cast<uint64_t>(shape.sizes[0]) : 1);
  }

  uint64_t Count() const { return count_; }
  size_t Depth() const { return blocks_.size(); }
  /// Blocks that begin at the element `index`; as many end before it, unless it is the first.
  size_t At(uint64_t index) const {
    return static_cast<size_t>(
        std::count_if(blocks_.begin(), blocks_.end(), [&](uint64_t block) { return index % block == 0; }));
  }

 private:
  HostVector<uint64_t> blocks_;  // elements in a block, innermost first
  uint64_t count_ = 0;
};

void Repeat(BoundedText* out, std::string_view part, size_t times) {
  for (size_t i = 0; i < times; ++i) out->Append(part);
}

}  // namespace

void BoundedText::Append(std::string_view part) {
  if (length_ + 1 < size_) {
    const size_t taken = std::min(part.size(), size_ - 1 - length_);
    std::memcpy(text_ + length_, part.data(), taken);
    text_[length_ + taken] = '\0';
  }
  length_ += part.size();
}

void AppendElement(hal_element_type_t type, const void* element, BoundedText* out) {
  if (IsComplex(type)) return AppendComplex(out, type, element);
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_BOOLEAN:
      return out->Append(Load<uint8_t>(element) ? "1" : "0");
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_INDEX:
    case HAL_NUMERIC_KIND_UNSIGNED:
      return AppendInteger(out, type, element);
    case HAL_NUMERIC_KIND_OPAQUE:
      return AppendHex(out, BytesOf(type, element));
    default:
      return AppendFloat(out, type, element);
  }
}

void AppendShape(const hal_shape_t& shape, BoundedText* out) {
  for (uint32_t i = 0; i < shape.rank; ++i) {
    AppendNumber(out, shape.sizes[i]);
    out->Append("x");
  }
  std::array<char, 24> name;  // enough for every type
  if (hal_element_type_format(shape.element_type, name.data(), name.size()) == HAL_STATUS_OK) out->Append(name.data());
}

void AppendElements(const hal_shape_t& shape, const void* elements, size_t shown, BoundedText* out) {
  const Brackets brackets(shape);
  if (brackets.Count() == 0) return;
  const size_t element_size = hal_element_type_size(shape.element_type);
  const auto* bytes = static_cast<const char*>(elements);
  for (size_t i = 0; i < shown; ++i) {
    const size_t begun = brackets.At(i);
    if (i > 0) Repeat(out, "]", begun);
    if (i > 0 && begun == 0) out->Append(" ");
    Repeat(out, "[", begun);
    AppendElement(shape.element_type, bytes + i * element_size, out);
  }
  if (shown == brackets.Count()) return Repeat(out, "]", brackets.Depth());
  if (shown == 0) return out->Append("...");
  // Between two blocks the dots stand for whole blocks, so those before them are closed; the others after them.
  const size_t closed = brackets.At(shown);
  Repeat(out, "]", closed);
  out->Append(closed == 0 ? " ..." : "...");
  Repeat(out, "]", brackets.Depth() - closed);
}

}  // namespace halyard
