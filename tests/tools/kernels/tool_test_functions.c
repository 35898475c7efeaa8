// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that functions.mlir describes, as MLIR would compile them, so that these tests need no MLIR.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define MEMREF(element, rank)                   \
  struct {                                      \
    element *allocated, *aligned;               \
    int64_t offset, sizes[rank], strides[rank]; \
  }
typedef MEMREF(float, 1) FloatMemref1;
typedef MEMREF(float, 2) FloatMemref2;
typedef MEMREF(int32_t, 1) IntMemref1;
typedef MEMREF(int64_t, 1) IndexMemref1;
typedef MEMREF(uint16_t, 1) HalfMemref1;

typedef struct {
  int64_t rank;
  int64_t* descriptor;
} UnrankedMemref;

// c += a * b
EXPORT void _mlir_ciface_matmul(const FloatMemref2* a, const FloatMemref2* b, FloatMemref2* c) {
  const int64_t rows = a->sizes[0], columns = b->sizes[1], depth = a->sizes[1];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = 0; k < depth; ++k) {
        c->aligned[i * columns + j] += a->aligned[i * depth + k] * b->aligned[k * columns + j];
      }
    }
  }
}

// x[i] *= factor for the first `count`; returns their sum
EXPORT float _mlir_ciface_scale(float factor, FloatMemref1* x, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count && i < x->sizes[0]; ++i) sum += x->aligned[i] *= factor;
  return sum;
}

// 0, 1, 2 …; the caller frees it
EXPORT void _mlir_ciface_count(IndexMemref1* result, int64_t size) {
  int64_t* const memory = malloc((size_t)(size + 1) * sizeof(int64_t));
  for (int64_t i = 0; i < size; ++i) memory[i] = i;
  *result = (IndexMemref1){memory, memory, 0, {size}, {1}};
}

// The same memory with the dimensions exchanged.
EXPORT void _mlir_ciface_transpose(FloatMemref2* result, const FloatMemref2* x) {
  *result =
      (FloatMemref2){x->allocated, x->aligned, x->offset, {x->sizes[1], x->sizes[0]}, {x->strides[1], x->strides[0]}};
}

// What it is given, its descriptor on the heap as of every unranked result.
EXPORT void _mlir_ciface_same(UnrankedMemref* result, const UnrankedMemref* x) {
  const size_t bytes = (size_t)(3 + 2 * x->rank) * sizeof(int64_t);
  result->rank = x->rank;
  result->descriptor = malloc(bytes);
  memcpy(result->descriptor, x->descriptor, bytes);
}

// Changes the sign of bf16 numbers, and counts indices up.
EXPORT void _mlir_ciface_stand_ins(HalfMemref1* x, IndexMemref1* n) {
  for (int64_t i = 0; i < x->sizes[0]; ++i) x->aligned[i] ^= 0x8000;
  for (int64_t i = 0; i < n->sizes[0]; ++i) ++n->aligned[i];
}

// Each workgroup leaves its number.
EXPORT void _mlir_ciface_number(IntMemref1* x, int64_t id, int64_t count) {
  x->aligned[id] = (int32_t)(id + 10 * count);
}
