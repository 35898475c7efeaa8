// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an object may be made of: calls of libraries and of the caller's, constants, tables, variables of all kinds.
// Each compiler and each way to address memory makes other relocations of it.
#include "halyard/local_kernel.h"

float sinf(float);
void* memcpy(void*, const void*, size_t);
int snprintf(char*, size_t, const char*, ...);
int32_t host_twice(int32_t);
extern int absent(int) __attribute__((weak));

typedef int32_t (*operation_t)(int32_t, int32_t);
static int32_t add(int32_t a, int32_t b) { return a + b; }
static int32_t subtract(int32_t a, int32_t b) { return a - b; }
__attribute__((noinline)) int32_t multiply(int32_t a, int32_t b) { return a * b; }

static const operation_t kOperations[] = {add, subtract, multiply};
static const char* const kNames[] = {"add", "subtract", "multiply"};
static const int32_t kPrimes[5] = {2, 3, 5, 7, 11};
int32_t counter = 40;
int64_t zeros[1000];
int32_t common_number;
static int32_t hidden = 5;
int32_t* const pointer_to_hidden = &hidden;

HAL_LOCAL_KERNEL(sines) {
  const float* x = HAL_LOCAL_BINDING(const float, 0);
  float* y = HAL_LOCAL_BINDING(float, 1);
  const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
  for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0]; ++i) y[i] = sinf(x[i]);
  return 0;
}

// A switch that becomes a table of jumps.
__attribute__((noinline)) static int32_t Choose(int32_t which, int32_t value) {
  switch (which) {
    case 0:
      return multiply(value, 3);
    case 1:
      return add(value, kPrimes[4]);
    case 2:
      return host_twice(value);
    case 3:
      return value / 7;
    case 4:
      return *pointer_to_hidden + value;
    case 5:
      return absent ? absent(value) : value - 1;
    case 6:
      return kOperations[value % 3](value, 2);
    case 7:
      return counter++;
    default:
      return -1;
  }
}

// y[0 ... 7] are the results of all cases, y[8 ... ] what follows.
HAL_LOCAL_KERNEL(mixture) {
  int32_t* y = HAL_LOCAL_BINDING(int32_t, 0);
  const int32_t value = *HAL_LOCAL_CONSTANT(const int32_t, 0);
  (void)workgroup;
  for (int32_t i = 0; i < 8; ++i) y[i] = Choose(i, value);
  char text[32];
  y[8] = snprintf(text, sizeof(text), "%s %d", kNames[value % 3], value);
  memcpy(&y[9], text, 8);
  zeros[999] += 3;
  y[11] = (int32_t)(zeros[0] + zeros[999]);
  common_number += 2;
  y[12] = common_number;
  return 0;
}

int32_t weighted(const float* x, float* y, float weight, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y[i] = weight * x[i];
  return 0;
}
