// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules and functions: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_MODULES_H_
#define HALYARD_TESTS_SIM_STREAM_API_MODULES_H_

#include "stream_api/call.h"

namespace halyard::sim {

std::shared_ptr<Function> FindFunction(const void* handle);
// Waits for the module's kernels that were submitted.
Error UnloadModule(const void* module, Lock& lock);
Error ModuleFunction(Out function, const void* module, const char* name);
// The address and the bytes may be NULL, as not wanted.
Error ModuleVariable(void* address, size_t* bytes, const void* module, const char* name);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_MODULES_H_
