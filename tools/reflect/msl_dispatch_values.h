// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a kernel before it is translated for Metal, so that what a dispatch chooses becomes an argument: the size of
// a workgroup and the dynamic local memory. SPIR-V has specialisation constants for both, with which Metal would have
// to compile at dispatch.
#ifndef HALYARD_TOOLS_REFLECT_MSL_DISPATCH_VALUES_H_
#define HALYARD_TOOLS_REFLECT_MSL_DISPATCH_VALUES_H_

#include <cstdint>

#include "reflect/spirv_compiler.h"
#include "reflect/spirv_module.h"

namespace halyard::tools {

/// Replaces the constants that give the size of a workgroup by loads of a variable with the built-in WorkgroupSize.
/// Vulkan has no such variable, and UseWorkgroupSize() completes what SPIRV-Cross makes of it. A kernel without such
/// constants stays as it is. Throws Failure (kInput) where a type depends on the size.
/// @param compiler  with the same module
SpirvModule LoadWorkgroupSize(const SpirvModule& module, const SpirvCompiler& compiler);

/// A kernel whose dynamic local memory is an array of one element. UseDynamicMemory() completes what SPIRV-Cross makes
/// of it.
struct DynamicMemory {
  SpirvModule module;
  uint32_t variable = 0;  ///< 0 if the kernel has no dynamic local memory; its module is then the one that was given
};

/// Finds the array in workgroup memory whose length is constant 3 divided by the size of an element. Throws Failure
/// (kInput) where the kernel uses constant 3 or the whole array in another way, or has two such arrays.
DynamicMemory ShortenDynamicMemory(const SpirvModule& module, const SpirvCompiler& compiler);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_MSL_DISPATCH_VALUES_H_
