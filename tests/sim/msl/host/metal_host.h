// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metal's language as C++ of clang's: what a rewritten text begins with. HALYARD_MSL_STRICT has address spaces be
// types, which clang can check, though not run.
#pragma once
#include "atomics.h"
#include "integers.h"
#include "math.h"
#include "matrices.h"
#include "reflect.h"
#include "types.h"

#define thread
#ifdef HALYARD_MSL_STRICT
#define device __attribute__((address_space(1)))
#define constant __attribute__((address_space(2))) const
#define threadgroup __attribute__((address_space(3)))
// A constant whose value is computed when the library is loaded.
#define hal_msl_late extern constant
#define hal_msl_set(VARIABLE, VALUE) ((void)sizeof(VALUE))
#define hal_msl_threadgroup(KERNEL, VARIABLE, ...) \
  (*(threadgroup typename hal_msl::identity<__VA_ARGS__>::type*)nullptr)
#else
#define device
#define constant const
#define threadgroup
#define hal_msl_late static
#define hal_msl_set(VARIABLE, VALUE) __builtin_memcpy(&VARIABLE, &VALUE, sizeof VARIABLE)
#define hal_msl_threadgroup(KERNEL, VARIABLE, ...) \
  (hal_msl::threadgroup_variable<__VA_ARGS__, KERNEL, VARIABLE>::in(hal_msl_item))
#endif

#if __has_feature(thread_sanitizer)
// GCC's runtime has no such functions; what they call is intercepted there.
extern "C" {
#define HAL_MSL_PLAIN __attribute__((disable_sanitizer_instrumentation, used))
HAL_MSL_PLAIN void* __tsan_memcpy(void* to, const void* from, size_t n) { return __builtin_memcpy(to, from, n); }
HAL_MSL_PLAIN void* __tsan_memmove(void* to, const void* from, size_t n) { return __builtin_memmove(to, from, n); }
HAL_MSL_PLAIN void* __tsan_memset(void* to, int value, size_t n) { return __builtin_memset(to, value, n); }
#undef HAL_MSL_PLAIN
}
#endif
