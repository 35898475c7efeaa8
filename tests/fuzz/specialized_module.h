// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of SPIR-V whose specialisation constants get other defaults, for fuzzers.
#ifndef HALYARD_TESTS_FUZZ_SPECIALIZED_MODULE_H_
#define HALYARD_TESTS_FUZZ_SPECIALIZED_MODULE_H_

#include <cstddef>
#include <vector>

#include "image/reflection/spirv/spirv_reflection.h"
#include "support/kernels/specialization.h"

namespace halyard::tools {

/// A module that the library's reader takes, and what it tells.
struct ReadModule {
  std::vector<std::byte> bytes;
  SpirvImage image;
};

/// Makes a value the default in a copy of a module. Ends the process if that changes anything but the constant, if the
/// module cannot be read afterwards, or if a refusal has no words or another code than kInput.
/// @return the copy; empty if the value was refused
std::vector<std::byte> CheckSetDefault(const SpecializeArgument& argument, const ReadModule& module);

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_FUZZ_SPECIALIZED_MODULE_H_
