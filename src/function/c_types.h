// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What plain C functions take: which types, and Halide's buffers.
#ifndef HALYARD_FUNCTION_C_TYPES_H_
#define HALYARD_FUNCTION_C_TYPES_H_

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "function/value_type.h"
#include "halyard/memref.h"

namespace halyard {

constexpr bool IsC(hal_calling_convention_t convention) {
  return convention == HAL_CALLING_CONVENTION_C || convention == HAL_CALLING_CONVENTION_C_STATUS;
}

/// Checks the type of an argument of a C function, whose enums and element type are known. Fails with `bad`; messages
/// name the field.
Status CheckCArgument(hal_status_t bad, const hal_value_type_t& type);

/// Checks the result of a C function: none or one number; none beside a status.
Status CheckCResults(hal_status_t bad, const hal_function_signature_t& signature);

/// Words of a halide_buffer_t and its dimensions behind it.
constexpr size_t HalideWords(uint32_t rank) { return 7 + 2 * size_t{rank}; }

/// Writes a halide_buffer_t and its dimensions to HalideWords() words, for a descriptor that was checked. They hold
/// their own address, so they must stay there.
void WriteHalideBuffer(const Descriptor& descriptor, uint64_t* words);
/// Copies one from elsewhere.
void CopyHalideBuffer(const uint64_t* source, uint32_t rank, uint64_t* words);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_C_TYPES_H_
