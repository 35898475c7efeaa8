// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiled function returned, taken apart.
#ifndef HALYARD_FUNCTION_RESULTS_H_
#define HALYARD_FUNCTION_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "function/call_plan.h"
#include "function/native_call.h"
#include "function/signature.h"
#include "function/value_type.h"

namespace halyard {

/// What MLIR puts into `allocated` for memory of a global.
inline constexpr int64_t kGlobalMarker = 0xdeadbeef;

/// Writes what came back in registers to where the results lie in memory.
void StoreReturns(const CallPlan& plan, const NativeReturns& returns, std::byte* results);

/// Takes scalars and memrefs out of the struct of all results, and says of each memref who owns its memory.
/// `values[i].as.memref` of each memref result is written to. INTERNAL if a returned rank makes no sense, with the
/// function's name and the result's position; all that the function made is freed then.
///
/// @param name     of the function, in messages
/// @param aliases  the `allocated` of every memref argument
Status TakeResults(std::string_view name, const CallPlan& plan, const hal_function_signature_t& signature,
                   std::span<const int64_t> aliases, const std::byte* results, hal_value_t* values);

/// Copies the elements of a memref to another of the same sizes, whatever their strides. The element types do not
/// matter, only the bytes of an element.
void CopyElements(const Descriptor& source, const Descriptor& target, size_t element_size);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_RESULTS_H_
