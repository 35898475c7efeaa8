// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's scalar and vector types, as clang's. Layouts are Metal's: a vector of three is as long as one of four.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;

namespace hal_msl {

template <class T>
struct identity {
  typedef T type;
};
template <class T>
using plain = __remove_cvref(T);

// The element type and length of vectors; 0 for what is none.
template <class T>
struct vector_traits {
  typedef T element;
  static constexpr int size = 0;
};
template <class T, int N>
struct vector_of;

#define HAL_MSL_VECTOR(T, N)                           \
  typedef T T##N __attribute__((ext_vector_type(N)));  \
  template <>                                          \
  struct hal_msl::vector_traits<T##N> {                \
    typedef T element;                                 \
    static constexpr int size = N;                     \
  };                                                   \
  template <>                                          \
  struct hal_msl::vector_of<T, N> : identity<T##N> {}; \
  namespace metal {                                    \
  using ::T##N;                                        \
  }
#define HAL_MSL_VECTORS(T) HAL_MSL_VECTOR(T, 2) HAL_MSL_VECTOR(T, 3) HAL_MSL_VECTOR(T, 4)
}  // namespace hal_msl
HAL_MSL_VECTORS(char)
HAL_MSL_VECTORS(uchar)
HAL_MSL_VECTORS(short)
HAL_MSL_VECTORS(ushort)
HAL_MSL_VECTORS(int)
HAL_MSL_VECTORS(uint)
HAL_MSL_VECTORS(long)
HAL_MSL_VECTORS(ulong)
HAL_MSL_VECTORS(half)
HAL_MSL_VECTORS(float)
#undef HAL_MSL_VECTORS
#undef HAL_MSL_VECTOR

namespace hal_msl {

template <class T>
concept Arithmetic = __is_arithmetic(plain<T>) || __is_same(plain<T>, half);
template <class T>
concept Vector = vector_traits<plain<T>>::size != 0;
template <class T>
concept Integral = __is_integral(typename vector_traits<plain<T>>::element);
template <class T>
using element = typename vector_traits<plain<T>>::element;

// The components of a vector that is no vector of clang's.
template <class T, int N>
struct fields;
template <class T>
struct fields<T, 2> {
  T x, y;
};
template <class T>
struct fields<T, 3> {
  T x, y, z;
};
template <class T>
struct fields<T, 4> {
  T x, y, z, w;
};

// Vectors of bool: comparisons of clang's vectors give integers, and -1 for true.
template <int N>
struct bool_vector : fields<bool, N> {
  bool_vector() = default;
  constexpr bool_vector(bool all) {
    for (int i = 0; i < N; ++i) (*this)[i] = all;
  }
  template <Vector V>
  requires(vector_traits<V>::size == N && Integral<V>) constexpr bool_vector(V v) {
    for (int i = 0; i < N; ++i) (*this)[i] = v[i] != 0;
  }
  bool& operator[](int i) { return (&this->x)[i]; }
  bool operator[](int i) const { return (&this->x)[i]; }
  bool_vector operator!() const {
    return map(*this, [](bool a, bool) { return !a; });
  }
  bool_vector operator&&(bool_vector b) const {
    return map(b, [](bool a, bool c) { return a && c; });
  }
  bool_vector operator||(bool_vector b) const {
    return map(b, [](bool a, bool c) { return a || c; });
  }
  bool_vector operator==(bool_vector b) const {
    return map(b, [](bool a, bool c) { return a == c; });
  }
  bool_vector operator!=(bool_vector b) const {
    return map(b, [](bool a, bool c) { return a != c; });
  }

 private:
  template <class F>
  bool_vector map(bool_vector b, F f) const {
    bool_vector result;
    for (int i = 0; i < N; ++i) result[i] = f((*this)[i], b[i]);
    return result;
  }
};

template <int N>
struct vector_traits<bool_vector<N>> {
  typedef bool element;
  static constexpr int size = N;
};
template <int N>
struct vector_of<bool, N> : identity<bool_vector<N>> {};

template <class T>
inline constexpr int components = Vector<T> ? vector_traits<plain<T>>::size : 1;

template <class V, class A>
void append(V& vector, int& at, A value) {
  if constexpr (Vector<A>) {
    for (int i = 0; i < vector_traits<A>::size; ++i) vector[at++] = static_cast<element<V>>(value[i]);
  } else {
    vector[at++] = static_cast<element<V>>(value);
  }
}

// A constructor of a vector: from one scalar, or from scalars and vectors of as many components in all.
template <class V, class... A>
requires(Vector<V> && ((Arithmetic<A> || Vector<A>)&&...) &&
         ((components<A> + ... + 0) == vector_traits<V>::size || (sizeof...(A) == 1 && (Arithmetic<A> && ...)) ||
          sizeof...(A) == 0)) V make(A... arguments) {
  V result = V();
  int at = 0;
  (append(result, at, arguments), ...);
  if (sizeof...(A) == 1) {
    for (; at < vector_traits<V>::size; ++at) result[at] = static_cast<element<V>>(result[0]);
  }
  return result;
}

}  // namespace hal_msl

typedef hal_msl::bool_vector<2> bool2;
typedef hal_msl::bool_vector<3> bool3;
typedef hal_msl::bool_vector<4> bool4;

// SPIRV-Cross's own array, which has a method for each address space.
template <typename T, size_t N>
struct spvUnsafeArray {
  T elements[N ? N : 1];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
};

namespace metal {

using ::bool2, ::bool3, ::bool4, ::uchar, ::ushort, ::uint, ::ulong, ::half, ::size_t, ::ptrdiff_t, ::int8_t, ::int16_t,
    ::int32_t, ::int64_t, ::uint8_t, ::uint16_t, ::uint32_t, ::uint64_t;

template <class T, int N>
using vec = typename hal_msl::vector_of<T, N>::type;

template <typename T, size_t N>
struct array {
  T elements[N];
  constexpr T& operator[](size_t i) { return elements[i]; }
  constexpr const T& operator[](size_t i) const { return elements[i]; }
  static constexpr size_t size() { return N; }
};

// Vectors without padding, aligned as their elements.
template <class T, int N>
struct packed_vec : hal_msl::fields<T, N> {
  packed_vec() = default;
  packed_vec(vec<T, N> v) {
    for (int i = 0; i < N; ++i) (*this)[i] = v[i];
  }
  operator vec<T, N>() const {
    vec<T, N> v;
    for (int i = 0; i < N; ++i) v[i] = (*this)[i];
    return v;
  }
  T& operator[](int i) { return (&this->x)[i]; }
  T operator[](int i) const { return (&this->x)[i]; }
};

}  // namespace metal

template <class T, int N>
struct hal_msl::vector_traits<metal::packed_vec<T, N>> {
  typedef T element;
  static constexpr int size = N;
};

#define HAL_MSL_PACKED(T)                        \
  typedef metal::packed_vec<T, 2> packed_##T##2; \
  typedef metal::packed_vec<T, 3> packed_##T##3; \
  typedef metal::packed_vec<T, 4> packed_##T##4;
HAL_MSL_PACKED(char)
HAL_MSL_PACKED(uchar)
HAL_MSL_PACKED(short)
HAL_MSL_PACKED(ushort)
HAL_MSL_PACKED(int)
HAL_MSL_PACKED(uint)
HAL_MSL_PACKED(half)
HAL_MSL_PACKED(float)
#undef HAL_MSL_PACKED
