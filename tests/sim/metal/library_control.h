// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test can ask of the simulated Metal in addition to control.h: libraries, pipelines, archives, messages of
// kernels. The functions are exported by the library itself. All are thread-safe.
#ifndef HALYARD_TESTS_SIM_METAL_LIBRARY_CONTROL_H_
#define HALYARD_TESTS_SIM_METAL_LIBRARY_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Functions that this process compiled since the last reset, for pipelines or for archives. Each counts once.
__attribute__((visibility("default"))) uint64_t halyardSimMetalCompiledFunctions(void);
// Pipelines whose function a binary archive had, since the last reset.
__attribute__((visibility("default"))) uint64_t halyardSimMetalArchiveHits(void);
// Libraries made from text since the last reset: those with fast mathematics, and those whose kernels may log.
__attribute__((visibility("default"))) uint64_t halyardSimMetalFastLibraries(void);
__attribute__((visibility("default"))) uint64_t halyardSimMetalLoggingLibraries(void);

// Pipelines that are asked for with a handler are made once there are so many of them, counted from here on; 0 lets
// each be made. The report "pipelines-apart" says that they did not come in so many milliseconds.
__attribute__((visibility("default"))) void halyardSimMetalHoldPipelines(uint64_t count, uint64_t milliseconds);

// Writes the stand-in for a .metallib file with this text, as far as it fits. Returns the bytes of all of it.
__attribute__((visibility("default"))) size_t halyardSimMetalLibrary(const char* text, void* bytes, size_t capacity);

// A kernel's message, with a level of MTLLogLevel: the handlers of all log states get it that take the level.
__attribute__((visibility("default"))) void halyardSimMetalLog(int level, const char* text);

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_TESTS_SIM_METAL_LIBRARY_CONTROL_H_
