// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What OpSpecConstantOp makes of integers and booleans.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_COMPUTATION_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_COMPUTATION_H_

#include <cstdint>
#include <optional>
#include <span>

namespace halyard {

/// A number as its type has it.
struct SpirvNumber {
  /// @param given_bits   those above the width do not matter
  /// @param given_width  bits of its type: 1 to 64
  constexpr SpirvNumber(uint64_t given_bits, uint32_t given_width)
      : bits(given_bits & (UINT64_MAX >> (64 - given_width))), width(given_width) {}

  uint64_t bits;
  uint32_t width;
};

/// The bits of a result of that width. Nothing if the instruction is not known, has other operands, or divides by 0.
std::optional<uint64_t> ComputeSpirv(uint32_t opcode, std::span<const SpirvNumber> operands, uint32_t width);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_COMPUTATION_H_
