// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/arithmetic.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/text/small_float.h"

namespace halyard::sim::nccl {
namespace {

using namespace stream::nccl;  // NOLINT(google-build-using-namespace): the vendor's names

struct Half {
  uint16_t bits;
  static float Widen(Half value) { return HalfToFloat(value.bits); }
  static Half Round(float wide) { return {FloatToHalf(wide)}; }
};

struct Bfloat {
  uint16_t bits;
  static float Widen(Bfloat value) { return BfloatToFloat(value.bits); }
  static Bfloat Round(float wide) { return {FloatToBfloat(wide)}; }
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

/// Calls a function with the std::type_identity of a type's elements.
template <class Function>
void WithElement(ncclDataType_t type, const Function& function) {
  switch (type) {
    case ncclInt8:
      return function(std::type_identity<int8_t>());
    case ncclUint8:
      return function(std::type_identity<uint8_t>());
    case ncclInt32:
      return function(std::type_identity<int32_t>());
    case ncclUint32:
      return function(std::type_identity<uint32_t>());
    case ncclInt64:
      return function(std::type_identity<int64_t>());
    case ncclUint64:
      return function(std::type_identity<uint64_t>());
    case ncclFloat16:
      return function(std::type_identity<Half>());
    case ncclFloat32:
      return function(std::type_identity<float>());
    case ncclFloat64:
      return function(std::type_identity<double>());
    case ncclBfloat16:
      return function(std::type_identity<Bfloat>());
  }
}

}  // namespace

size_t SizeOf(ncclDataType_t type) {
  constexpr size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return static_cast<size_t>(type) < std::size(kSizes) ? kSizes[type] : 0;
}

void Combine(const Reduction& how, void* target, const void* source, size_t count) {
  WithElement(how.type,
              [&](auto element) { CombineAs<typename decltype(element)::type>(how.reduction, target, source, count); });
}

void Scale(const Reduction& how, void* target, double scale, size_t count) {
  WithElement(how.type, [&](auto element) {
    using Element = typename decltype(element)::type;
    if constexpr (!std::is_integral_v<Element>) ScaleAs<Element>(target, scale, count);
  });
}

}  // namespace halyard::sim::nccl
