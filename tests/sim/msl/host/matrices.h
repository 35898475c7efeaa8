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

  friend matrix operator+(matrix a, const matrix& b) {
    for (int i = 0; i < C; ++i) a[i] += b[i];
    return a;
  }
  friend matrix operator-(matrix a, const matrix& b) {
    for (int i = 0; i < C; ++i) a[i] -= b[i];
    return a;
  }
  friend matrix operator*(matrix a, T b) {
    for (int i = 0; i < C; ++i) a[i] *= b;
    return a;
  }
  friend matrix operator*(T a, const matrix& b) { return b * a; }
  friend column operator*(const matrix& a, vec<T, C> b) {
    column sum = column(0);
    for (int i = 0; i < C; ++i) sum += a[i] * b[i];
    return sum;
  }
  friend vec<T, C> operator*(column a, const matrix& b) {
    vec<T, C> result;
    for (int i = 0; i < C; ++i) result[i] = dot(a, b[i]);
    return result;
  }
};

template <class T, int N, int C, int R>
matrix<T, C, R> operator*(const matrix<T, N, R>& a, const matrix<T, C, N>& b) {
  matrix<T, C, R> result;
  for (int i = 0; i < C; ++i) result[i] = a * b[i];
  return result;
}
template <class T, int C, int R>
matrix<T, R, C> transpose(const matrix<T, C, R>& m) {
  matrix<T, R, C> result;
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < C; ++j) result[i][j] = m[j][i];
  }
  return result;
}
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
