// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments by the names of a kernel's parameters: n=1000 x_ptr=x.npy out_ptr:out.npy.
#ifndef HALYARD_TOOLS_RUN_NAMED_ARGUMENTS_H_
#define HALYARD_TOOLS_RUN_NAMED_ARGUMENTS_H_

#include "kernel.h"
#include "options.h"

namespace halyard::tools {

/// Turns options->named into constants, inputs and outputs of the kernel's parameters. Throws Failure (kUsage) for a
/// name that the kernel does not have, with those that come near, for a value that does not fit, and for constants that
/// are left out.
void ResolveNamedArguments(const Kernel& kernel, RunOptions* options);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_NAMED_ARGUMENTS_H_
