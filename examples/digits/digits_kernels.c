// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The three kernels of the digits network, for the local CPU driver.
///
/// Each kernel runs over one dimension (rows or elements), and a workgroup takes `workgroup_size[0]`
/// neighbours of it. A dispatch of `n` of them needs `ceil(n / workgroup_size[0])` workgroups; the last one
/// stops at `n`. All arrays are dense and row-major, all numbers little-endian. A kernel whose bindings are
/// shorter than its constants say returns BINDING_TOO_SHORT and touches nothing, which fails the dispatch.
#include "halyard/local_kernel.h"

enum { BINDING_TOO_SHORT = 1 };

typedef struct range_t {
  size_t begin;
  size_t end;
} range_t;

/// The part of `[0, count)` that this workgroup handles; empty for a workgroup past the end.
static range_t range_of_workgroup(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup,
                                  size_t count) {
  range_t range = {(size_t)workgroup->id[0] * dispatch->workgroup_size[0], 0};
  range.end = range.begin + dispatch->workgroup_size[0];
  if (range.end > count) range.end = count;
  return range;
}

static int holds(const hal_local_dispatch_t* dispatch, uint32_t binding, uint64_t elements, size_t element_size) {
  return dispatch->binding_lengths[binding] / element_size >= elements;
}

/// Four neighbouring floats that the compiler keeps in one register (GCC's and Clang's vector extension);
/// readable and writable at the address of any float.
typedef float float4_t __attribute__((vector_size(16), aligned(4), may_alias));

/// `dense` computes its output in blocks of this many rows and features. The sums of a block stay in
/// registers while the inputs stream past, so that every weight loaded serves four rows and every input eight
/// features.
enum { BLOCK_ROWS = 4, BLOCK_FEATURES = 8 };

/// A whole block: y[r][f] = bias[f] + sum over i of x[r][i] * w[i][f].
static void dense_block(const float* x, const float* w, const float* bias, float* y, size_t in_features,
                        size_t out_features) {
  float4_t left[BLOCK_ROWS], right[BLOCK_ROWS];
  for (size_t r = 0; r < BLOCK_ROWS; ++r) {
    left[r] = *(const float4_t*)bias;
    right[r] = *(const float4_t*)(bias + 4);
  }
  for (size_t i = 0; i < in_features; ++i, w += out_features) {
    const float4_t w_left = *(const float4_t*)w;
    const float4_t w_right = *(const float4_t*)(w + 4);
    for (size_t r = 0; r < BLOCK_ROWS; ++r) {
      left[r] += x[r * in_features + i] * w_left;
      right[r] += x[r * in_features + i] * w_right;
    }
  }
  for (size_t r = 0; r < BLOCK_ROWS; ++r) {
    *(float4_t*)(y + r * out_features) = left[r];
    *(float4_t*)(y + r * out_features + 4) = right[r];
  }
}

/// What is left at the edges, where fewer rows or features than a block remain. Adds in the same order as a
/// block does.
static void dense_edge(const float* x, const float* w, const float* bias, float* y, size_t in_features,
                       size_t out_features, size_t rows, size_t features) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t f = 0; f < features; ++f) {
      float sum = bias[f];
      for (size_t i = 0; i < in_features; ++i) sum += x[r * in_features + i] * w[i * out_features + f];
      y[r * out_features + f] = sum;
    }
  }
}

/// A dense layer: output = input * weights + bias, without an activation. Runs over rows.
///
/// constants: uint32 rows, uint32 in_features, uint32 out_features
/// binding 0: input,   float32 [rows, in_features]
/// binding 1: weights, float32 [in_features, out_features]
/// binding 2: bias,    float32 [out_features]
/// binding 3: output,  float32 [rows, out_features]; must not overlap the others
HAL_LOCAL_KERNEL(dense) {
  const size_t rows = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  const size_t in_features = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  const size_t out_features = *HAL_LOCAL_CONSTANT(const uint32_t, 8);
  if (!holds(dispatch, 0, rows * in_features, sizeof(float)) ||
      !holds(dispatch, 1, in_features * out_features, sizeof(float)) ||
      !holds(dispatch, 2, out_features, sizeof(float)) ||  //
      !holds(dispatch, 3, rows * out_features, sizeof(float))) {
    return BINDING_TOO_SHORT;
  }
  const float* input = HAL_LOCAL_BINDING(const float, 0);
  const float* weights = HAL_LOCAL_BINDING(const float, 1);
  const float* bias = HAL_LOCAL_BINDING(const float, 2);
  float* output = HAL_LOCAL_BINDING(float, 3);

  const range_t mine = range_of_workgroup(dispatch, workgroup, rows);
  for (size_t row = mine.begin; row < mine.end; row += BLOCK_ROWS) {
    const size_t rows_left = mine.end - row < BLOCK_ROWS ? mine.end - row : BLOCK_ROWS;
    const float* x = input + row * in_features;
    float* y = output + row * out_features;
    size_t f = 0;
    if (rows_left == BLOCK_ROWS) {
      for (; f + BLOCK_FEATURES <= out_features; f += BLOCK_FEATURES) {
        dense_block(x, weights + f, bias + f, y + f, in_features, out_features);
      }
    }
    dense_edge(x, weights + f, bias + f, y + f, in_features, out_features, rows_left, out_features - f);
  }
  return 0;
}

/// The rectifier, in place: values[i] = max(values[i], 0). Runs over elements.
///
/// constants: uint32 count
/// binding 0: values, float32 [count]
HAL_LOCAL_KERNEL(relu) {
  const size_t count = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  if (!holds(dispatch, 0, count, sizeof(float))) return BINDING_TOO_SHORT;
  float* values = HAL_LOCAL_BINDING(float, 0);

  const range_t mine = range_of_workgroup(dispatch, workgroup, count);
  for (size_t i = mine.begin; i < mine.end; ++i) values[i] = values[i] > 0.0f ? values[i] : 0.0f;
  return 0;
}

/// The column of each row's largest value, the first one if several are equal. Runs over rows.
///
/// constants: uint32 rows, uint32 columns (at least 1)
/// binding 0: values,  float32 [rows, columns]
/// binding 1: winners, int32 [rows]
HAL_LOCAL_KERNEL(argmax) {
  const size_t rows = *HAL_LOCAL_CONSTANT(const uint32_t, 0);
  const size_t columns = *HAL_LOCAL_CONSTANT(const uint32_t, 4);
  if (!holds(dispatch, 0, rows * columns, sizeof(float)) || !holds(dispatch, 1, rows, sizeof(int32_t))) {
    return BINDING_TOO_SHORT;
  }
  const float* values = HAL_LOCAL_BINDING(const float, 0);
  int32_t* winners = HAL_LOCAL_BINDING(int32_t, 1);

  const range_t mine = range_of_workgroup(dispatch, workgroup, rows);
  for (size_t row = mine.begin; row < mine.end; ++row) {
    const float* candidates = values + row * columns;
    size_t best = 0;
    for (size_t column = 1; column < columns; ++column) {
      if (candidates[column] > candidates[best]) best = column;
    }
    winners[row] = (int32_t)best;
  }
  return 0;
}
