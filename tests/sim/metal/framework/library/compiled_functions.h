// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this process had to compile: functions for the GPU that no binary archive had, and libraries from text.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_

#include <string>

namespace halyard::metal_sim {

// Notes a function by its key. Compiling it again counts no more: Metal keeps it. Thread-safe, as all here.
void CountCompiledFunction(const std::string& key);
void CountArchiveHit();
// Notes a library that was made from text.
void CountLibrary(bool fast_math, bool logging);
void ForgetCompiledFunctions();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_
