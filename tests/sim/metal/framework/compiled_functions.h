// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions this process had to compile for the GPU, since no binary archive had them.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_

#include <string>

namespace halyard::metal_sim {

// Notes a function by its key. Compiling it again counts no more: Metal keeps it. Thread-safe, as all here.
void CountCompiledFunction(const std::string& key);
void CountArchiveHit();
void ForgetCompiledFunctions();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_COMPILED_FUNCTIONS_H_
