// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's functions of integers and of bits.
#pragma once
#include "math.h"

namespace hal_msl {

// Of any integer, without a sign: clang 18 has these functions for 64 bits, not for every width.
template <class E>
constexpr unsigned long long widened(E x) {
  return unsigned_of<E>(x);
}

}  // namespace hal_msl

namespace metal {

template <class T>
auto popcount(T v) {
  return hal_msl::map([](auto x) { return decltype(x)(__builtin_popcountll(hal_msl::widened(x))); }, v);
}
template <class T>
auto clz(T v) {
  return hal_msl::map(
      [](auto x) {
        typedef decltype(x) E;
        return E(x == 0 ? hal_msl::bits<E> : __builtin_clzll(hal_msl::widened(x)) - (64 - hal_msl::bits<E>));
      },
      v);
}
template <class T>
auto ctz(T v) {
  return hal_msl::map(
      [](auto x) {
        typedef decltype(x) E;
        return E(x == 0 ? hal_msl::bits<E> : __builtin_ctzll(hal_msl::widened(x)));
      },
      v);
}
template <class T>
auto reverse_bits(T v) {
  return hal_msl::map(
      [](auto x) {
        typedef decltype(x) E;
        if constexpr (sizeof(E) == 1) return E(__builtin_bitreverse8(x));
        if constexpr (sizeof(E) == 2) return E(__builtin_bitreverse16(x));
        if constexpr (sizeof(E) == 4) return E(__builtin_bitreverse32(x));
        if constexpr (sizeof(E) == 8) return E(__builtin_bitreverse64(x));
      },
      v);
}
template <class A, class B>
auto rotate(A v, B by) {
  return hal_msl::map(
      [](auto x, auto n) {
        typedef hal_msl::unsigned_of<decltype(x)> U;
        const unsigned shift = unsigned(n) % hal_msl::bits<U>;
        return decltype(x)(shift == 0 ? U(x) : U(U(x) << shift | U(x) >> (hal_msl::bits<U> - shift)));
      },
      v, by);
}

// The bits from `offset` on, with the sign of a signed type; and the same put there.
template <class T>
auto extract_bits(T v, uint offset, uint count) {
  return hal_msl::map(
      [=](auto x) {
        typedef decltype(x) E;
        if (count == 0) return E(0);
        const uint left = hal_msl::bits<E> - offset - count;
        return E(E(hal_msl::unsigned_of<E>(x) << left) >> (hal_msl::bits<E> - count));
      },
      v);
}
template <class T>
auto insert_bits(T base, T insert, uint offset, uint count) {
  return hal_msl::map(
      [=](auto x, auto y) {
        typedef hal_msl::unsigned_of<decltype(x)> U;
        if (count == 0) return x;
        const U mask = U(U(~U(0)) >> (hal_msl::bits<U> - count)) << offset;
        return decltype(x)((U(x) & ~mask) | (U(U(y) << offset) & mask));
      },
      base, insert);
}

// As wide as a product or a sum can be.
template <class T>
auto mulhi(T a, T b) {
  return hal_msl::map(
      [](auto x, auto y) {
        typedef decltype(x) E;
        if constexpr (E(-1) < E(0)) return E((__int128(x) * y) >> hal_msl::bits<E>);
        return E((static_cast<unsigned __int128>(x) * y) >> hal_msl::bits<E>);
      },
      a, b);
}
template <class T>
T madhi(T a, T b, T c) {
  return mulhi(a, b) + c;
}
template <class T>
T mul24(T a, T b) {
  return a * b;
}
template <class T>
T mad24(T a, T b, T c) {
  return a * b + c;
}
template <class T>
auto addsat(T a, T b) {
  return hal_msl::map([](auto x, auto y) -> decltype(x) { return __builtin_elementwise_add_sat(x, y); }, a, b);
}
template <class T>
auto subsat(T a, T b) {
  return hal_msl::map([](auto x, auto y) -> decltype(x) { return __builtin_elementwise_sub_sat(x, y); }, a, b);
}
template <class T>
auto absdiff(T a, T b) {
  return hal_msl::map(
      [](auto x, auto y) {
        typedef hal_msl::unsigned_of<decltype(x)> U;
        return x < y ? U(U(y) - U(x)) : U(U(x) - U(y));
      },
      a, b);
}
template <class T>
auto hadd(T a, T b) {
  return hal_msl::map([](auto x, auto y) { return decltype(x)((x & y) + ((x ^ y) >> 1)); }, a, b);
}
template <class T>
auto rhadd(T a, T b) {
  return hal_msl::map([](auto x, auto y) { return decltype(x)((x | y) - ((x ^ y) >> 1)); }, a, b);
}

template <class To, class From>
requires(sizeof(To) == sizeof(From)) To as_type(From from) { return __builtin_bit_cast(To, from); }

// Numbers of 0 to 1, or -1 to 1, as integers of fewer bits, the first in the lowest ones.
#define HAL_MSL_PACK(NAME, N, BITS, SIGNED, LOW)                                                        \
  inline uint pack_float_to_##NAME(float##N v) {                                                        \
    constexpr float most = float((1u << (BITS - SIGNED)) - 1);                                          \
    uint bits = 0;                                                                                      \
    for (int i = 0; i < N; ++i) {                                                                       \
      const int x = int(rint(clamp(float(v[i]), LOW, 1.0f) * most));                                    \
      bits |= (uint(x) & ((1u << BITS) - 1)) << (BITS * i);                                             \
    }                                                                                                   \
    return bits;                                                                                        \
  }                                                                                                     \
  inline float##N unpack_##NAME##_to_float(uint bits) {                                                 \
    constexpr float most = float((1u << (BITS - SIGNED)) - 1);                                          \
    float##N v;                                                                                         \
    for (int i = 0; i < N; ++i) {                                                                       \
      const uint x = bits >> (BITS * i) & ((1u << BITS) - 1);                                           \
      v[i] = SIGNED ? max(float(int(x << (32 - BITS)) >> (32 - BITS)) / most, -1.0f) : float(x) / most; \
    }                                                                                                   \
    return v;                                                                                           \
  }
HAL_MSL_PACK(unorm4x8, 4, 8, 0, 0.0f)
HAL_MSL_PACK(snorm4x8, 4, 8, 1, -1.0f)
HAL_MSL_PACK(unorm2x16, 2, 16, 0, 0.0f)
HAL_MSL_PACK(snorm2x16, 2, 16, 1, -1.0f)
#undef HAL_MSL_PACK

template <class T>
struct numeric_limits {
  static constexpr bool is_integer = hal_msl::Integral<T>;
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr int digits = hal_msl::bits<T> - is_signed;
  static constexpr T max() { return T(~hal_msl::unsigned_of<T>(0) >> is_signed); }
  static constexpr T min() { return is_signed ? T(-max() - 1) : T(0); }
  static constexpr T lowest() { return min(); }
};
template <>
struct numeric_limits<float> {
  static constexpr bool is_integer = false, is_signed = true;
  static constexpr int digits = 24;
  static constexpr float max() { return __FLT_MAX__; }
  static constexpr float min() { return __FLT_MIN__; }
  static constexpr float lowest() { return -__FLT_MAX__; }
  static constexpr float epsilon() { return __FLT_EPSILON__; }
  static constexpr float infinity() { return __builtin_inff(); }
  static constexpr float quiet_NaN() { return __builtin_nanf(""); }
};

}  // namespace metal

#define NULL nullptr
#define INFINITY __builtin_inff()
#define HUGE_VALF __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2u + 1u)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1l)
#define ULONG_MAX (__LONG_MAX__ * 2ul + 1ul)
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LN2_F 0.693147180559945309417f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_SQRT2_F 1.41421356237309504880f
