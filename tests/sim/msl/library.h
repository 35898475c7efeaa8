// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled texts that are loaded.
#ifndef HALYARD_SIM_MSL_LIBRARY_H_
#define HALYARD_SIM_MSL_LIBRARY_H_

#include <filesystem>
#include <memory>
#include <string>

#include "msl/host/library_abi.h"
#include "msl/msl_host.h"

namespace halyard::msl_host {

// Loads a file of the cache. Null, with a reason, if it is none. It stays loaded.
std::shared_ptr<const Library> LoadLibrary(const std::filesystem::path& path, std::string* why);

// Runs a kernel to its end.
void RunKernel(const abi::KernelEntry& kernel, const Launch& launch);

// What a loaded library calls.
const abi::Host& HostFunctions();

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_LIBRARY_H_
