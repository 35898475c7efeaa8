// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts together what a SPIR-V module says of one entry point.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_KERNEL_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_KERNEL_H_

#include "image/reflection/reading_budget.h"
#include "image/reflection/spirv/spirv_addresses.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_reflection.h"

namespace halyard {

/// OpEntryPoint, and the OpExecutionMode or OpExecutionModeId that give its sizes.
struct SpirvEntryPoint {
  SpirvInstruction instruction;
  std::string_view name;
  size_t interface_word = 0;  ///< where the ids of variables begin
  SpirvInstruction size;      ///< empty if it has none
  SpirvInstruction subgroup;  ///< SubgroupSize, SubgroupsPerWorkgroup or SubgroupsPerWorkgroupId; empty if it has none

  uint32_t function() const { return instruction[2]; }
};

/// What a module says, as far as kernels need it.
struct SpirvFacts {
  const SpirvDecorations& decorations;
  const SpirvDefinitions& definitions;
  const SpirvNames& names;
  const SpirvAddresses& addresses;
  uint32_t workgroup_size = 0;  ///< the constant that is the built-in WorkgroupSize; 0 if none
  bool is_of_halyard = false;   ///< constants 0, 1 and 2 are the size of a workgroup, if there are any
  std::span<const hal_specialization_t> specializations = {};  ///< values that take the place of defaults
};

/// @param variables  that the kernel mentions; ids of other things are ignored
/// @return DATA_LOSS, with the number of the word; INCOMPATIBLE if the budget does not suffice
Status ReadSpirvKernel(const SpirvFacts& facts, const SpirvEntryPoint& entry_point, HostVector<uint32_t> variables,
                       ReadingBudget* budget, SpirvKernel* out_kernel);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_KERNEL_H_
