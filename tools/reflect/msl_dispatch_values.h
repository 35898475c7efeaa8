// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a kernel before it is translated for Metal, so that what a dispatch chooses becomes an argument: the size of
// a workgroup and the dynamic local memory. SPIR-V has specialisation constants for both, with which Metal would have
// to compile at dispatch.
#ifndef HALYARD_TOOLS_REFLECT_MSL_DISPATCH_VALUES_H_
#define HALYARD_TOOLS_REFLECT_MSL_DISPATCH_VALUES_H_

#include <array>
#include <cstdint>

#include "reflect/spirv_compiler.h"
#include "reflect/spirv_module.h"

namespace halyard::tools {

/// A kernel without constants that give the size of a workgroup.
struct SizedKernel {
  SpirvModule module;
  /// Work-items in x, y and z that the kernel is fixed to; 0 where the dispatch gives them, or no constant does.
  std::array<uint32_t, 3> fixed = {};
};

/// Replaces the constants that give the size of a workgroup by loads of a variable with the built-in WorkgroupSize.
/// Vulkan has no such variable, and UseWorkgroupSize() completes what SPIRV-Cross makes of it. A kernel without such
/// constants stays as it is. Where the length of an array or an initial value depends on the size, Metal has to know
/// the size when it compiles: the constants become numbers.
/// @param compiler  with the same module
/// @param size      of a workgroup, for that case; 0 in x for what the constants say by themselves
SizedKernel LoadWorkgroupSize(const SpirvModule& module, const SpirvCompiler& compiler, const hal_dim3_t& size);

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
