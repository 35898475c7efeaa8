// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that compiled code calls where the processor has no instruction, and that older compilers' libraries lack.
#ifndef HALYARD_TOOLS_PACK_COMPILER_BUILTINS_H_
#define HALYARD_TOOLS_PACK_COMPILER_BUILTINS_H_

namespace halyard::tools {

/// C for clang that defines the roundings to bf16, hidden and weak: __truncsfbf2, __truncdfbf2, __truncxfbf2 and
/// __trunctfbf2. They round to the nearest, ties to even, in one step. libgcc has the rest: f16, 128 bits.
extern const char* const kCompilerBuiltins;

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_COMPILER_BUILTINS_H_
