// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/element_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "common/host_memory.h"

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

/// A 16-bit float, widened, with as many digits as it takes to tell its neighbours apart.
void AppendHalf(BoundedText* out, float value, int digits) {
  AppendNumber(out, value, std::chars_format::general, digits);
}

float WidenF16(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  float magnitude = 0;
  if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else if (exponent < 31) {
    magnitude = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  } else {
    magnitude = fraction == 0 ? INFINITY : NAN;
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

float WidenBf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint64_t LoadBits(const void* element, uint32_t bits) {
  switch (bits) {
    case 16:
      return Load<uint16_t>(element);
    case 32:
      return Load<uint32_t>(element);
    case 64:
      return Load<uint64_t>(element);
    default:  // up to 8 bits take a byte
      return Load<uint8_t>(element) & ((1u << bits) - 1);
  }
}

int64_t SignExtend(uint64_t value, uint32_t bits) {
  const uint32_t unused = 64 - bits;
  return static_cast<int64_t>(value << unused) >> unused;
}

void AppendFloat(BoundedText* out, const void* element, uint32_t bits) {
  if (bits == 16) return AppendHalf(out, WidenF16(Load<uint16_t>(element)), 5);
  if (bits == 32) return AppendNumber(out, Load<float>(element));
  AppendNumber(out, Load<double>(element));
}

void AppendComplex(BoundedText* out, const void* element, uint32_t bits) {
  const uint32_t half = bits / 2;
  const auto* imaginary = static_cast<const char*>(element) + half / 8;
  AppendFloat(out, element, half);
  const bool negative = half == 32 ? std::signbit(Load<float>(imaginary)) : std::signbit(Load<double>(imaginary));
  if (!negative) out->Append("+");
  AppendFloat(out, imaginary, half);
  out->Append("i");
}

void AppendHex(BoundedText* out, std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (unsigned char byte : bytes) {
    out->Append(kDigits.substr(byte >> 4, 1));
    out->Append(kDigits.substr(byte & 15, 1));
  }
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
  const uint32_t bits = type & 0xFF;
  switch (type >> 8) {
    case HAL_NUMERIC_KIND_BOOLEAN:
      return out->Append(Load<uint8_t>(element) ? "1" : "0");
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_INDEX:
      return AppendNumber(out, SignExtend(LoadBits(element, bits), bits));
    case HAL_NUMERIC_KIND_UNSIGNED:
      return AppendNumber(out, LoadBits(element, bits));
    case HAL_NUMERIC_KIND_FLOAT:
      return AppendFloat(out, element, bits);
    case HAL_NUMERIC_KIND_BFLOAT:
      return AppendHalf(out, WidenBf16(Load<uint16_t>(element)), 4);
    case HAL_NUMERIC_KIND_COMPLEX:
      return AppendComplex(out, element, bits);
    default:
      return AppendHex(out, {static_cast<const unsigned char*>(element), bits / 8});
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
