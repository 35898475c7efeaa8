// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The floating-point formats of 16 bits and less, which C++ has no types for.
#ifndef HALYARD_BASE_TEXT_SMALL_FLOAT_H_
#define HALYARD_BASE_TEXT_SMALL_FLOAT_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "halyard/buffer_view.h"

namespace halyard {

/// The value of an IEEE 754 half.
inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// The nearest half, ties to even; too large a number becomes infinite.
inline uint16_t FloatToHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);
  if (magnitude >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);
  if (magnitude < 0x38800000u) {  // subnormal: the addition lines the fraction up and rounds it
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(aligned) - 0x3F000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xFFFu + odd) >> 13);
}

/// The value of a bfloat16, the upper half of a float.
inline float BfloatToFloat(uint16_t bfloat) { return std::bit_cast<float>(uint32_t{bfloat} << 16); }

/// The nearest bfloat16, ties to even.
inline uint16_t FloatToBfloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

/// How a format of 8 bits or less divides them, and which bits are no finite number.
struct SmallFloatFormat {
  enum class Special : uint8_t {
    kIeee,          ///< the highest exponent is infinity and NaN
    kNanAllOnes,    ///< all ones but the sign is NaN
    kNanMinusZero,  ///< what would be -0 is NaN
    kNone,
    kPowers,  ///< there is no sign and no 0: exponent 0 is a number as any other; all ones is NaN
  };
  int exponent_bits, fraction_bits, bias;
  Special special;
};

constexpr SmallFloatFormat SmallFloatFormatOf(hal_numeric_kind_t kind) {
  using Special = SmallFloatFormat::Special;
  switch (kind) {
    case HAL_NUMERIC_KIND_F8E5M2:
      return {5, 2, 15, Special::kIeee};
    case HAL_NUMERIC_KIND_F8E4M3:
      return {4, 3, 7, Special::kIeee};
    case HAL_NUMERIC_KIND_F8E3M4:
      return {3, 4, 3, Special::kIeee};
    case HAL_NUMERIC_KIND_F8E4M3FN:
      return {4, 3, 7, Special::kNanAllOnes};
    case HAL_NUMERIC_KIND_F8E5M2FNUZ:
      return {5, 2, 16, Special::kNanMinusZero};
    case HAL_NUMERIC_KIND_F8E4M3FNUZ:
      return {4, 3, 8, Special::kNanMinusZero};
    case HAL_NUMERIC_KIND_F8E4M3B11FNUZ:
      return {4, 3, 11, Special::kNanMinusZero};
    case HAL_NUMERIC_KIND_F8E8M0FNU:
      return {8, 0, 127, Special::kPowers};
    case HAL_NUMERIC_KIND_F6E2M3FN:
      return {2, 3, 1, Special::kNone};
    case HAL_NUMERIC_KIND_F6E3M2FN:
      return {3, 2, 3, Special::kNone};
    default:  // F4E2M1FN
      return {2, 1, 1, Special::kNone};
  }
}

/// The value of a float of 8 bits or less; a float holds them all. Bits above its own do not matter.
inline float SmallFloatToFloat(hal_numeric_kind_t kind, uint8_t bits) {
  using Special = SmallFloatFormat::Special;
  const SmallFloatFormat format = SmallFloatFormatOf(kind);
  const int magnitude = bits & ((1 << (format.exponent_bits + format.fraction_bits)) - 1);
  const int exponent = magnitude >> format.fraction_bits;
  const int fraction = magnitude & ((1 << format.fraction_bits) - 1);
  const bool highest = exponent == (1 << format.exponent_bits) - 1;
  const bool all_ones = highest && fraction == (1 << format.fraction_bits) - 1;
  const bool powers = format.special == Special::kPowers;
  const bool negative = !powers && (bits >> (format.exponent_bits + format.fraction_bits) & 1) != 0;
  if (all_ones && (powers || format.special == Special::kNanAllOnes)) return NAN;
  if (magnitude == 0 && negative && format.special == Special::kNanMinusZero) return NAN;
  if (highest && format.special == Special::kIeee) return fraction != 0 ? NAN : negative ? -INFINITY : INFINITY;
  const bool subnormal = exponent == 0 && !powers;
  const int whole = fraction + (subnormal ? 0 : 1 << format.fraction_bits);
  const int scale = (subnormal ? 1 : exponent) - format.bias - format.fraction_bits;
  const float value = std::ldexp(static_cast<float>(whole), scale);
  return negative ? -value : value;
}

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_SMALL_FLOAT_H_
