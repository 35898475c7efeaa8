// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain C functions, as compilers that know nothing of Halyard make them, and one workgroup kernel.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "halyard/local_kernel.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void saxpy(int64_t n, float a, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

// More numbers than registers take, of every type; each counts.
EXPORT double many(bool b, int8_t i8, uint8_t u8, int16_t i16, uint16_t u16, int32_t i32, uint32_t u32, int64_t i64,
                   uint64_t u64, size_t size, float f1, double f2, float f3, double f4, float f5, double f6, float f7,
                   double f8, float f9, double f10) {
  return (double)b + 2.0 * i8 + 3.0 * u8 + 4.0 * i16 + 5.0 * u16 + 6.0 * i32 + 7.0 * u32 + 8.0 * (double)i64 +
         9.0 * (double)u64 + 10.0 * (double)size + 11.0 * f1 + 12.0 * f2 + 13.0 * f3 + 14.0 * f4 + 15.0 * f5 +
         16.0 * f6 + 17.0 * f7 + 18.0 * f8 + 19.0 * f9 + 20.0 * f10;
}

#define ECHO(name, type) \
  EXPORT type name(type value) { return value; }
ECHO(echo_bool, bool)
ECHO(echo_i8, int8_t)
ECHO(echo_u8, uint8_t)
ECHO(echo_i16, int16_t)
ECHO(echo_u16, uint16_t)
ECHO(echo_i32, int32_t)
ECHO(echo_u32, uint32_t)
ECHO(echo_i64, int64_t)
ECHO(echo_u64, uint64_t)
ECHO(echo_f32, float)
ECHO(echo_f64, double)
ECHO(echo_pointer, uintptr_t)

// A _Float16 travels in the low 16 bits of a vector register, as a float's do. Not every compiler here knows it.
EXPORT float echo_f16(float half) { return half; }

EXPORT int64_t is_null(const void* pointer) { return pointer == NULL; }

EXPORT int32_t status(int32_t code, int32_t* runs) {
  __atomic_fetch_add(runs, 1, __ATOMIC_RELAXED);
  return code;
}
// The bits above an int mean nothing.
EXPORT int64_t status_with_junk(int32_t code) { return (int64_t)(0xdeadbeef00000000u | (uint32_t)code); }

EXPORT int32_t status_at(uint32_t x, int32_t bad) { return (int32_t)x == bad ? 7 : 0; }

typedef struct {
  uint32_t id[3], count[3], size[3], runs;
} Place;

EXPORT void place(Place* places, uint32_t x, int64_t y, size_t z, uint32_t nx, int32_t ny, uint64_t nz, uint32_t sx,
                  int64_t sy, int32_t sz, const void* none) {
  const uint32_t index = x + nx * ((uint32_t)y + (uint32_t)ny * (uint32_t)z);
  Place* const place = &places[index];
  *place = (Place){{x, (uint32_t)y, (uint32_t)z},
                   {nx, (uint32_t)ny, (uint32_t)nz},
                   {sx, (uint32_t)sy, (uint32_t)sz},
                   place->runs + (none ? 1000 : 1)};
}

EXPORT void only_x(float* values, uint32_t x) { values[x] += 1; }

// As HalideRuntime.h has them.
typedef struct {
  int32_t min, extent, stride;
  uint32_t flags;
} HalideDimension;
typedef struct {
  uint64_t device;
  const void* device_interface;
  uint8_t* host;
  uint64_t flags;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } type;
  int32_t dimensions;
  HalideDimension* dim;
  void* padding;
} HalideBuffer;

// Adds 100 y + x to every element, where x is Halide's dimension 0, in rows that end where `row` says.
EXPORT int halide_add(HalideBuffer* buffer) {
  if (buffer->device || buffer->device_interface || buffer->padding || buffer->dimensions != 2) return -1;
  if (buffer->type.code != 2 || buffer->type.bits != 32 || buffer->type.lanes != 1) return -2;
  for (int32_t y = 0; y < buffer->dim[1].extent; ++y) {
    for (int32_t x = 0; x < buffer->dim[0].extent; ++x) {
      if (buffer->dim[0].min || buffer->dim[1].min || buffer->dim[0].flags) return -3;
      ((float*)buffer->host)[y * buffer->dim[1].stride + x * buffer->dim[0].stride] += (float)(100 * y + x);
    }
  }
  return 0;
}

// Writes to its descriptors, as Halide does, while others of the grid run.
EXPORT int halide_rows(const HalideBuffer* in, HalideBuffer* out, int32_t y) {
  if (out->flags != 0) return -1;
  if (in->type.code != 1 || in->type.bits != 8) return -4;
  for (int32_t x = 0; x < out->dim[0].extent; ++x) {
    ((uint32_t*)out->host)[y * out->dim[1].stride + x] = in->host[y * in->dim[1].stride + x] * 2u;
  }
  out->flags = 1;
  const int result = out->dim[0].extent == in->dim[0].extent ? 0 : -5;
  out->flags = 0;
  return result;
}

HAL_LOCAL_KERNEL(marked) {
  (void)dispatch;
  (void)workgroup;
  return 0;
}
