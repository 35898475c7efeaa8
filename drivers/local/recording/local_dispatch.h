// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running one dispatch: its grid of workgroups over the executor.
#ifndef HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_DISPATCH_H_
#define HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_DISPATCH_H_

#include "base/status.h"
#include "halyard/driver_api.h"
#include "local/recording/local_commands.h"

namespace halyard::local {

/// Runs a dispatch and returns when its last workgroup is done. `index` is for profiling.
Status RunDispatch(const CommandContext& context, const hal_command_dispatch_t& dispatch, uint32_t index);

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_RECORDING_LOCAL_DISPATCH_H_
