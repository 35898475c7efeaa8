// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function types of the LLVM dialect: what a signature becomes, and what was compiled.
#ifndef HALYARD_TOOLS_PACK_LOWERED_TYPES_H_
#define HALYARD_TOOLS_PACK_LOWERED_TYPES_H_

#include <string>
#include <string_view>

#include "halyard/memref.h"

namespace halyard::tools {

/// The type that a function of this signature has once it is lowered: "void (ptr, ptr, i64, array<1 x i64>)".
std::string LoweredType(const hal_function_signature_t& signature);

/// The text of a lowered function's type, "!llvm.func<void (ptr, i64)>", in the same form.
std::string PlainLoweredType(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_LOWERED_TYPES_H_
