// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all headers of the simulated Metal need: availability, sizes, ranges. Names and values are Apple's.
#ifndef HALYARD_SIM_METAL_MTL_TYPES_H_
#define HALYARD_SIM_METAL_MTL_TYPES_H_

#import <Foundation/Foundation.h>
#include <stdint.h>

// Apple has it in TargetConditionals.h.
#ifndef TARGET_OS_IPHONE
#define TARGET_OS_IPHONE 0
#endif

#ifndef API_AVAILABLE
#define HALYARD_SIM_AVAILABLE_N(a, b, name, ...) name
#define HALYARD_SIM_macos(v) macos, introduced = v
#define HALYARD_SIM_ios(v) ios, introduced = v
#define HALYARD_SIM_EXPAND(x) HALYARD_SIM_##x
#define HALYARD_SIM_AVAILABLE_ONE(a) HALYARD_SIM_ATTRIBUTE(HALYARD_SIM_EXPAND(a))
#define HALYARD_SIM_ATTRIBUTE(...) __attribute__((availability(__VA_ARGS__)))
#define HALYARD_SIM_AVAILABLE_TWO(a, b) HALYARD_SIM_AVAILABLE_ONE(a) HALYARD_SIM_AVAILABLE_ONE(b)
#define API_AVAILABLE(...)                                                                     \
  HALYARD_SIM_AVAILABLE_N(__VA_ARGS__, HALYARD_SIM_AVAILABLE_TWO, HALYARD_SIM_AVAILABLE_ONE, ) \
  (__VA_ARGS__)
#endif

typedef struct {
  NSUInteger width, height, depth;
} MTLSize;

static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  MTLSize size = {width, height, depth};
  return size;
}

typedef struct {
  NSUInteger size, align;
} MTLSizeAndAlign;

typedef uint64_t MTLTimestamp;
typedef uint64_t MTLResourceIDImplementation;

typedef struct {
  MTLResourceIDImplementation _impl;
} MTLResourceID;

typedef struct {
  uint32_t threadgroupsPerGrid[3];
} MTLDispatchThreadgroupsIndirectArguments;

// Host time, as mach_absolute_time() counts it.
typedef double CFTimeInterval;

#endif  // HALYARD_SIM_METAL_MTL_TYPES_H_
