// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's functions of numbers: for scalars, and for vectors component by component.
#pragma once
#include "types.h"

namespace hal_msl {

// The type of a function's result from arguments of one type, or of a vector's type and scalars beside it.
template <class A, class... B>
struct common {};
template <class A>
struct common<A> : identity<A> {};
template <class A, class... B>
struct common<A, A, B...> : common<A, B...> {};
template <Vector A, Arithmetic S, class... B>
struct common<A, S, B...> : common<A, B...> {};
template <Arithmetic S, Vector A, class... B>
struct common<S, A, B...> : common<A, B...> {};

template <class... A>
using common_t = typename common<plain<A>...>::type;

template <class T>
auto component(T value, int i) {
  if constexpr (Vector<T>) {
    return value[i];
  } else {
    return value;
  }
}

// Calls a function of scalars for each component.
template <class F, class... A>
auto map(F function, A... arguments) {
  typedef common_t<A...> R;
  typedef element<R> E;
  if constexpr (Vector<R>) {
    typedef decltype(function(E(component(arguments, 0))...)) Result;
    typename vector_of<Result, vector_traits<R>::size>::type result;
    for (int i = 0; i < vector_traits<R>::size; ++i) result[i] = function(E(component(arguments, i))...);
    return result;
  } else {
    return function(E(arguments)...);
  }
}

// The same for functions of floats: a half is computed as one, an integer is converted.
template <class F, class... A>
auto map_float(F function, A... arguments) {
  return map(
      [&](auto... x) {
        typedef common_t<decltype(x)...> E;
        if constexpr (__is_same(E, half)) {
          return static_cast<half>(function(static_cast<float>(x)...));
        } else {
          return function(static_cast<float>(x)...);
        }
      },
      arguments...);
}

template <class T>
constexpr int bits = sizeof(T) * 8;
template <class T>
using unsigned_of = __make_unsigned(T);

}  // namespace hal_msl

namespace metal {

#define HAL_MSL_UNARY(NAME, EXPRESSION)                                        \
  template <class T>                                                           \
  auto NAME(T v) {                                                             \
    return hal_msl::map_float([](float x) -> float { return EXPRESSION; }, v); \
  }
#define HAL_MSL_BINARY(NAME, EXPRESSION)                                                   \
  template <class A, class B>                                                              \
  requires requires { typename hal_msl::common_t<A, B>; }                                  \
  auto NAME(A a, B b) {                                                                    \
    return hal_msl::map_float([](float x, float y) -> float { return EXPRESSION; }, a, b); \
  }
#define HAL_MSL_TERNARY(NAME, EXPRESSION)                                                              \
  template <class A, class B, class C>                                                                 \
  requires requires { typename hal_msl::common_t<A, B, C>; }                                           \
  auto NAME(A a, B b, C c) {                                                                           \
    return hal_msl::map_float([](float x, float y, float z) -> float { return EXPRESSION; }, a, b, c); \
  }
#define HAL_MSL_CALLED(NAME) HAL_MSL_UNARY(NAME, __builtin_##NAME##f(x))

constexpr float hal_pi = 3.14159265358979323846f;
// clang-format off: one each line
HAL_MSL_CALLED(sqrt)
HAL_MSL_CALLED(sin)
HAL_MSL_CALLED(cos)
HAL_MSL_CALLED(tan)
HAL_MSL_CALLED(asin)
HAL_MSL_CALLED(acos)
HAL_MSL_CALLED(atan)
HAL_MSL_CALLED(sinh)
HAL_MSL_CALLED(cosh)
HAL_MSL_CALLED(tanh)
HAL_MSL_CALLED(asinh)
HAL_MSL_CALLED(acosh)
HAL_MSL_CALLED(atanh)
HAL_MSL_CALLED(exp)
HAL_MSL_CALLED(exp2)
HAL_MSL_CALLED(log)
HAL_MSL_CALLED(log2)
HAL_MSL_CALLED(log10)
HAL_MSL_CALLED(floor)
HAL_MSL_CALLED(ceil)
HAL_MSL_CALLED(trunc)
HAL_MSL_CALLED(round)
HAL_MSL_CALLED(rint)
HAL_MSL_CALLED(fabs)
HAL_MSL_UNARY(rsqrt, 1.0f / __builtin_sqrtf(x))
HAL_MSL_UNARY(exp10, __builtin_powf(10.0f, x))
HAL_MSL_UNARY(sinpi, __builtin_sinf(hal_pi* x))
HAL_MSL_UNARY(cospi, __builtin_cosf(hal_pi* x))
HAL_MSL_UNARY(tanpi, __builtin_tanf(hal_pi* x))
HAL_MSL_UNARY(fract, __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1f))
HAL_MSL_UNARY(saturate, __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f))
HAL_MSL_UNARY(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f)
HAL_MSL_BINARY(pow, __builtin_powf(x, y))
HAL_MSL_BINARY(powr, __builtin_powf(x, y))
HAL_MSL_BINARY(fmod, __builtin_fmodf(x, y))
HAL_MSL_BINARY(atan2, __builtin_atan2f(x, y))
HAL_MSL_BINARY(copysign, __builtin_copysignf(x, y))
HAL_MSL_BINARY(fmin, __builtin_fminf(x, y))
HAL_MSL_BINARY(fmax, __builtin_fmaxf(x, y))
HAL_MSL_BINARY(fdim, __builtin_fdimf(x, y))
HAL_MSL_BINARY(step, y < x ? 0.0f : 1.0f)
HAL_MSL_TERNARY(fma, __builtin_fmaf(x, y, z))
HAL_MSL_TERNARY(mix, x + (y - x) * z)
HAL_MSL_TERNARY(smoothstep, ((z = saturate((z - x) / (y - x))), z* z*(3.0f - 2.0f * z)))
// clang-format on
#undef HAL_MSL_CALLED
#undef HAL_MSL_TERNARY
#undef HAL_MSL_BINARY
#undef HAL_MSL_UNARY

template <class T, class I>
auto ldexp(T x, I exponent) {
  if constexpr (hal_msl::Vector<T>) {
    for (int i = 0; i < hal_msl::components<T>; ++i) x[i] = ldexp(hal_msl::element<T>(x[i]), exponent[i]);
    return x;
  } else {
    return static_cast<T>(__builtin_ldexpf(x, exponent));
  }
}
template <class T, class I>
T modf(T x, I& whole) {
  whole = trunc(x);
  return copysign(x - whole, x);
}
template <class T, class I>
T frexp(T x, I& exponent) {
  if constexpr (hal_msl::Vector<T>) {
    for (int i = 0; i < hal_msl::components<T>; ++i) {
      int of = 0;
      x[i] = frexp(hal_msl::element<T>(x[i]), of);
      exponent[i] = of;
    }
    return x;
  } else {
    int of = 0;
    x = static_cast<T>(__builtin_frexpf(x, &of));
    exponent = of;
    return x;
  }
}

#define HAL_MSL_CLASS(NAME)                                                          \
  template <class T>                                                                 \
  auto NAME(T v) {                                                                   \
    return hal_msl::map([](auto x) { return bool(__builtin_##NAME((float)x)); }, v); \
  }
// clang-format off: one each line
HAL_MSL_CLASS(isnan)
HAL_MSL_CLASS(isinf)
HAL_MSL_CLASS(isfinite)
HAL_MSL_CLASS(isnormal)
HAL_MSL_CLASS(signbit)
// clang-format on
#undef HAL_MSL_CLASS

// Of numbers of any kind. With a NaN the other one is the least and the greatest.
template <class A, class B>
requires requires { typename hal_msl::common_t<A, B>; }
auto min(A a, B b) {
  return hal_msl::map([](auto x, auto y) { return y < x || x != x ? y : x; }, a, b);
}
template <class A, class B>
requires requires { typename hal_msl::common_t<A, B>; }
auto max(A a, B b) {
  return hal_msl::map([](auto x, auto y) { return x < y || x != x ? y : x; }, a, b);
}
template <class A, class B, class C>
requires requires { typename hal_msl::common_t<A, B, C>; }
auto clamp(A x, B low, C high) { return metal::min(metal::max(x, low), high); }
template <class T>
T min3(T a, T b, T c) {
  return metal::min(metal::min(a, b), c);
}
template <class T>
T max3(T a, T b, T c) {
  return metal::max(metal::max(a, b), c);
}
template <class T>
T median3(T a, T b, T c) {
  return metal::max(metal::min(a, b), metal::min(metal::max(a, b), c));
}
template <class T>
auto abs(T v) {
  return hal_msl::map([](auto x) { return decltype(x)(x < 0 ? -x : x); }, v);
}

namespace fast {
using namespace metal;
}
namespace precise {
using namespace metal;
}

// Sums over the components of a vector.
template <hal_msl::Vector T>
hal_msl::element<T> dot(T a, T b) {
  hal_msl::element<T> sum = 0;
  for (int i = 0; i < hal_msl::components<T>; ++i) sum += a[i] * b[i];
  return sum;
}
template <class T>
auto length_squared(T v) {
  return dot(v, v);
}
template <class T>
auto length(T v) {
  return sqrt(dot(v, v));
}
template <class T>
auto distance(T a, T b) {
  return length(a - b);
}
template <class T>
auto distance_squared(T a, T b) {
  return length_squared(a - b);
}
template <class T>
T normalize(T v) {
  return v * rsqrt(dot(v, v));
}
template <class T>
T cross(T a, T b) {
  return a.yzx * b.zxy - a.zxy * b.yzx;
}
template <class T>
T reflect(T v, T normal) {
  return v - 2 * dot(normal, v) * normal;
}

template <class T>
bool any(T v) {
  if constexpr (hal_msl::Vector<T>) {
    for (int i = 0; i < hal_msl::components<T>; ++i) {
      if (v[i]) return true;
    }
    return false;
  } else {
    return v;
  }
}
template <class T>
bool all(T v) {
  return !metal::any(!v);
}
template <class T, class C>
T select(T if_not, T if_so, C condition) {
  if constexpr (hal_msl::Vector<T> && hal_msl::Vector<C>) {
    for (int i = 0; i < hal_msl::components<T>; ++i) if_not[i] = condition[i] ? if_so[i] : if_not[i];
    return if_not;
  } else {
    return condition ? if_so : if_not;
  }
}

}  // namespace metal
