// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions as MLIR's calling conventions shape them, written in C, so that these tests need no MLIR. Only what C and
// LLVM agree on is here; the generated tests have the rest.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct {
  float* allocated;
  float* aligned;
  int64_t offset;
  int64_t sizes[1];
  int64_t strides[1];
} Memref1;

typedef struct {
  float* allocated;
  float* aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
} Memref2;

typedef struct {
  int64_t rank;
  void* descriptor;
} Unranked;

static float* At(const Memref2* m, int64_t i, int64_t j) {
  return &m->aligned[m->offset + i * m->strides[0] + j * m->strides[1]];
}

// func @scale(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>, %factor: f32)
EXPORT void _mlir_ciface_scale(Memref2* m, float factor) {
  for (int64_t i = 0; i < m->sizes[0]; ++i) {
    for (int64_t j = 0; j < m->sizes[1]; ++j) *At(m, i, j) *= factor;
  }
}

// func @first(%m: memref<?x?xf32>) -> f32, which reads no offset, as for an identity layout
EXPORT float _mlir_ciface_first(Memref2* m) { return m->aligned[0]; }

static Memref1 Filled(int64_t size, float value) {
  Memref1 made;
  char* const memory = malloc((size_t)size * sizeof(float) + 64);
  made.allocated = (float*)memory;
  made.aligned = (float*)(memory + 64 - (uintptr_t)memory % 64);
  made.offset = 0;
  made.sizes[0] = size;
  made.strides[0] = 1;
  for (int64_t i = 0; i < size; ++i) made.aligned[i] = value;
  return made;
}

static float g_table[2] = {1.5f, 2.5f};

typedef struct {
  int8_t flag;
  double number;
  Memref1 made;
  Memref1 alias;
  Memref1 global;
  Memref1 same;
} Mixed;

// func @mixed(%x: memref<?xf32>, %n: index) -> (i1, f64, memref<?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>)
EXPORT void _mlir_ciface_mixed(Mixed* results, Memref1* x, int64_t n) {
  results->flag = 1;
  results->number = 0.25;
  results->made = Filled(n, 3.0f);
  results->alias = *x;
  results->global = (Memref1){(float*)(uintptr_t)0xdeadbeef, g_table, 0, {2}, {1}};
  results->same = results->made;
}

// func @make(%n: index) -> memref<?xf32>
EXPORT void _mlir_ciface_make(Memref1* result, int64_t n) { *result = Filled(n, 7.0f); }

typedef struct {
  Memref1 made;
  Unranked broken;
  Memref1 other;
} Broken;

// func @broken(%n: index) -> (memref<?xf32>, memref<*xf32>, memref<?xf32>), of which the second has an impossible rank
EXPORT void _mlir_ciface_broken(Broken* results, int64_t n) {
  results->made = Filled(n, 1.0f);
  results->broken = (Unranked){-1, NULL};
  results->other = Filled(n, 2.0f);
}

// func @reranked(%m: memref<*xf32>) -> memref<*xf32>: the same memory with its first dimension cut to one
EXPORT void _mlir_ciface_reranked(Unranked* result, Unranked* m) {
  const size_t size = (size_t)(3 + 2 * m->rank) * sizeof(int64_t);
  int64_t* const copy = malloc(size);
  memcpy(copy, m->descriptor, size);
  if (m->rank > 0) copy[3] = 1;
  result->rank = m->rank;
  result->descriptor = copy;
}

// func @expanded(%a: i8, %m: memref<?x?xf32>, %b: f64, %c: f32, %n: memref<*xf32>) -> f64
EXPORT double expanded(int8_t a, float* allocated, float* aligned, int64_t offset, int64_t size0, int64_t size1,
                       int64_t stride0, int64_t stride1, double b, float c, int64_t rank, void* descriptor) {
  (void)allocated;
  const Memref1* const n = descriptor;
  return a + aligned[offset] + (double)(size0 * 1000 + size1 * 100 + stride0 * 10 + stride1) + b + c + (double)rank +
         n->aligned[0];
}

// func @bare(%m: memref<2x3xf32>, %v: f32)
EXPORT void bare(float* m, float v) {
  for (int i = 0; i < 6; ++i) m[i] = v;
}

// func @wide(complex<f32>, complex<f64>, f64 x 8) -> f64: each part of a complex number is an argument of its own
EXPORT double _mlir_ciface_wide(float re, float im, double re2, double im2, double a, double b, double c, double d,
                                double e, double f) {
  return re + 2 * im + 3 * re2 + 4 * im2 + 5 * a + 6 * b + 7 * c + 8 * d + 9 * e + 10 * f;
}

typedef struct {
  long double re;
  long double im;
} LongComplex;

// func @turned(%z: complex<f80>, %scale: f8E5M2) -> complex<f80>: i * z, times the bits of the scale. On AArch64, of
// f128
EXPORT void _mlir_ciface_turned(LongComplex* result, long double re, long double im, uint8_t scale) {
  result->re = -im * scale;
  result->im = re * scale;
}

// func @grid(%x: memref<?xf32>, %id: index, %count: index, %bias: f32)
EXPORT void _mlir_ciface_grid(Memref1* x, int64_t id, int64_t count, float bias) {
  x->aligned[id] = (float)(id * 100 + count) + bias;
}

// func @cells(%x: memref<?xf32>, %id.x: index, %id.y: i32, %id.z: index, %count.x: i32, %count.y: index, %count.z: i64)
EXPORT void _mlir_ciface_cells(Memref1* x, int64_t id_x, int32_t id_y, int64_t id_z, int32_t count_x, int64_t count_y,
                               int64_t count_z) {
  if (id_x >= count_x || id_y >= count_y || id_z >= count_z) return;
  x->aligned[(id_z * count_y + id_y) * count_x + id_x] += (float)(1 + id_x + 10 * id_y + 100 * id_z);
}
