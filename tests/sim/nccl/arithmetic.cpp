// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace halyard::sim::nccl {
namespace {

using namespace stream::nccl;  // NOLINT(google-build-using-namespace): the vendor's names

struct Half {
  using Wide = float;
  uint16_t bits;
  static float Widen(Half value) {
    const uint32_t exponent = value.bits >> 10 & 31;
    const uint32_t fraction = value.bits & 0x3FF;
    float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    if (exponent == 31) magnitude = fraction ? NAN : INFINITY;
    if (exponent > 0 && exponent < 31) {
      magnitude = std::ldexp(static_cast<float>(fraction + 1024), static_cast<int>(exponent) - 25);
    }
    return value.bits >> 15 ? -magnitude : magnitude;
  }
  static Half Round(float wide) {
    const auto sign = static_cast<uint16_t>(std::signbit(wide) ? 0x8000 : 0);
    const float magnitude = std::fabs(wide);
    if (std::isnan(wide)) return {static_cast<uint16_t>(sign | 0x7E00)};
    if (magnitude >= 65520) return {static_cast<uint16_t>(sign | 0x7C00)};
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int unit = std::max(exponent - 11, -24);  // of the last place
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // A carry out of the fraction goes on into the exponent.
    const uint32_t encoded = unit == -24 ? units : (static_cast<uint32_t>(unit + 24) << 10) + units;
    return {static_cast<uint16_t>(sign | encoded)};
  }
};

struct Bfloat {
  using Wide = float;
  uint16_t bits;
  static float Widen(Bfloat value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }
  static Bfloat Round(float wide) {
    const auto pattern = std::bit_cast<uint32_t>(wide);
    if (std::isnan(wide)) return {static_cast<uint16_t>(pattern >> 16 | 0x40)};
    return {static_cast<uint16_t>((pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16)};
  }
};

template <class T>
auto Widen(T value) {
  if constexpr (std::is_class_v<T>) {
    return T::Widen(value);
  } else {
    return value;
  }
}

template <class T, class Wide>
T Round(Wide wide) {
  if constexpr (std::is_class_v<T>) {
    return T::Round(wide);
  } else {
    return static_cast<T>(wide);
  }
}

// Sums and products of integers wrap.
template <class Wide>
Wide CombineTwo(ncclRedOp_t reduction, Wide a, Wide b) {
  if (reduction == ncclMax) return std::max(a, b);
  if (reduction == ncclMin) return std::min(a, b);
  if constexpr (std::is_integral_v<Wide>) {
    const auto x = static_cast<uint64_t>(a);
    const auto y = static_cast<uint64_t>(b);
    return static_cast<Wide>(reduction == ncclProd ? x * y : x + y);
  } else {
    return reduction == ncclProd ? a * b : a + b;
  }
}

template <class T>
void CombineAs(ncclRedOp_t reduction, void* target, const void* source, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, static_cast<std::byte*>(target) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<const std::byte*>(source) + i * sizeof(T), sizeof(T));
    a = Round<T>(CombineTwo(reduction, Widen(a), Widen(b)));
    std::memcpy(static_cast<std::byte*>(target) + i * sizeof(T), &a, sizeof(T));
  }
}

template <class T>
void ScaleAs(void* target, double scale, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T a;
    std::memcpy(&a, static_cast<std::byte*>(target) + i * sizeof(T), sizeof(T));
    const auto wide = Widen(a);
    a = Round<T>(static_cast<decltype(Widen(a))>(wide * static_cast<decltype(Widen(a))>(scale)));
    std::memcpy(static_cast<std::byte*>(target) + i * sizeof(T), &a, sizeof(T));
  }
}

}  // namespace

size_t SizeOf(ncclDataType_t type) {
  constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return static_cast<size_t>(type) < std::size(kSizes) ? kSizes[type] : 0;
}

void Combine(const Reduction& how, void* target, const void* source, size_t count) {
  switch (how.type) {
    case ncclInt8:
      return CombineAs<int8_t>(how.reduction, target, source, count);
    case ncclUint8:
      return CombineAs<uint8_t>(how.reduction, target, source, count);
    case ncclInt32:
      return CombineAs<int32_t>(how.reduction, target, source, count);
    case ncclUint32:
      return CombineAs<uint32_t>(how.reduction, target, source, count);
    case ncclInt64:
      return CombineAs<int64_t>(how.reduction, target, source, count);
    case ncclUint64:
      return CombineAs<uint64_t>(how.reduction, target, source, count);
    case ncclFloat16:
      return CombineAs<Half>(how.reduction, target, source, count);
    case ncclFloat32:
      return CombineAs<float>(how.reduction, target, source, count);
    case ncclFloat64:
      return CombineAs<double>(how.reduction, target, source, count);
    case ncclBfloat16:
      return CombineAs<Bfloat>(how.reduction, target, source, count);
  }
}

void Scale(const Reduction& how, void* target, double scale, size_t count) {
  switch (how.type) {
    case ncclFloat16:
      return ScaleAs<Half>(target, scale, count);
    case ncclFloat32:
      return ScaleAs<float>(target, scale, count);
    case ncclFloat64:
      return ScaleAs<double>(target, scale, count);
    case ncclBfloat16:
      return ScaleAs<Bfloat>(target, scale, count);
    default:
      return;
  }
}

}  // namespace halyard::sim::nccl
