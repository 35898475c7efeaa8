// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a dispatch of a function that has a signature.
#ifndef HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_FUNCTION_DISPATCH_H_
#define HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_FUNCTION_DISPATCH_H_

#include "base/status.h"
#include "function/function.h"
#include "halyard/driver_api.h"
#include "local/recording/local_commands.h"

namespace halyard::local {

/// Makes memrefs and pointers of the bindings and scalars of the constants, runs the function once for each workgroup,
/// and copies what it returns to the bindings of the results. Returns when all is done.
Status RunFunction(const CommandContext& context, const CompiledFunction& function, const hal_dispatch_params_t& params,
                   const hal_dim3_t& count);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_FUNCTION_DISPATCH_H_
