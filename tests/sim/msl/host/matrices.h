// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's matrices: columns of vectors.
#pragma once
#include "math.h"

namespace metal {

template <class T, int C, int R>
struct matrix {
  typedef vec<T, R> column;
  column columns[C];

  matrix() = default;
  // The diagonal.
  explicit matrix(T value) {
    for (int i = 0; i < C; ++i) columns[i] = column(0);
    for (int i = 0; i < (C < R ? C : R); ++i) columns[i][i] = value;
  }
  template <class... V>
  requires(sizeof...(V) == C && (__is_same(V, column) && ...)) matrix(V... values) : columns{values...} {}
  column& operator[](int i) { return columns[i]; }
  const column& operator[](int i) const { return columns[i]; }
#ifdef HALYARD_MSL_STRICT
  // From memory of the device (1), of constants (2) and of a threadgroup (3).
  matrix(const matrix&) = default;
  matrix& operator=(const matrix&) = default;
#define HAL_MSL_FROM(SPACE)                                           \
  matrix(const __attribute__((address_space(SPACE))) matrix& other) { \
    for (int i = 0; i < C; ++i) columns[i] = other.columns[i];        \
  }
  HAL_MSL_FROM(1)
  HAL_MSL_FROM(2)
  HAL_MSL_FROM(3)
#undef HAL_MSL_FROM
#endif

  friend matrix operator+(matrix a, matrix b) {
    for (int i = 0; i < C; ++i) a[i] += b[i];
    return a;
  }
  friend matrix operator-(matrix a, matrix b) {
    for (int i = 0; i < C; ++i) a[i] -= b[i];
    return a;
  }
  friend matrix operator*(matrix a, T b) {
    for (int i = 0; i < C; ++i) a[i] *= b;
    return a;
  }
  friend matrix operator*(T a, matrix b) { return b * a; }
  friend column operator*(matrix a, vec<T, C> b) {
    column sum = column(0);
    for (int i = 0; i < C; ++i) sum += a[i] * b[i];
    return sum;
  }
  friend vec<T, C> operator*(column a, matrix b) {
    vec<T, C> result;
    for (int i = 0; i < C; ++i) result[i] = dot(a, b[i]);
    return result;
  }
  friend matrix<T, R, C> transpose(matrix m) {
    matrix<T, R, C> result;
    for (int i = 0; i < R; ++i) {
      for (int j = 0; j < C; ++j) result[i][j] = m[j][i];
    }
    return result;
  }
  // No template, which would not take a matrix of another address space.
  friend matrix<T, 2, R> operator*(matrix a, matrix<T, 2, C> b) { return a.template Times<2>(b); }
  friend matrix<T, 3, R> operator*(matrix a, matrix<T, 3, C> b) { return a.template Times<3>(b); }
  friend matrix<T, 4, R> operator*(matrix a, matrix<T, 4, C> b) { return a.template Times<4>(b); }
  template <int N>
  matrix<T, N, R> Times(matrix<T, N, C> b) {
    matrix<T, N, R> result;
    for (int i = 0; i < N; ++i) result[i] = *this * b[i];
    return result;
  }
};

template <class T>
T determinant(const matrix<T, 2, 2>& m) {
  return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}
template <class T>
T determinant(const matrix<T, 3, 3>& m) {
  return dot(m[0], cross(m[1], m[2]));
}

}  // namespace metal

#define HAL_MSL_MATRIX(T, C, R) typedef metal::matrix<T, C, R> T##C##x##R;
#define HAL_MSL_MATRICES(T) \
  HAL_MSL_MATRIX(T, 2, 2)   \
  HAL_MSL_MATRIX(T, 2, 3)   \
  HAL_MSL_MATRIX(T, 2, 4)   \
  HAL_MSL_MATRIX(T, 3, 2)   \
  HAL_MSL_MATRIX(T, 3, 3)   \
  HAL_MSL_MATRIX(T, 3, 4) HAL_MSL_MATRIX(T, 4, 2) HAL_MSL_MATRIX(T, 4, 3) HAL_MSL_MATRIX(T, 4, 4)
HAL_MSL_MATRICES(float)
HAL_MSL_MATRICES(half)
#undef HAL_MSL_MATRICES
#undef HAL_MSL_MATRIX
